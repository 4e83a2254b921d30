import HeadwaterServer
import Reactive
import StateStore

struct Note: Record {
    var text = ""
    var at = Timestamp(seconds: 0)
}

struct BoardState { let notes = Table<String, Note>() }

// snippet

static func settings(_ library: @escaping @Sendable (_ publisher: String) -> Feature) {
    // snippet
}
