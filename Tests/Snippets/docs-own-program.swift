import Reactive
import StateStore

struct Note: Record {
    var text = ""
    var at = Timestamp(seconds: 0)
}

struct BoardState { let notes = Table<String, Note>() }

// snippet
