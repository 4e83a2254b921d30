import Foundation
import HeadwaterClient
import HeadwaterServer
import Reactive
import StateStore

struct Note: Record {
    var text = ""
    var at = Timestamp(seconds: 0)
}

struct BoardState { let notes = Table<String, Note>() }

// snippet

struct NewNote: Record { var text = "" }
struct BoardService: StateService {
    let add: AnsweringAction<NewNote, String>
    init(_ state: BoardState) { add = AnsweringAction { _, commit in commit.newID() } }
}

static func settings(_ library: @escaping @Sendable (_ publisher: String) -> Feature) {
    // snippet
}

static func client(_ address: URL, _ model: FeatureModel<BoardState, BoardService, BoardViewModel>) async throws {
    // snippet
}

static func embedded(_ model: FeatureModel<BoardState, BoardService, BoardViewModel>) throws {
    // snippet
}
