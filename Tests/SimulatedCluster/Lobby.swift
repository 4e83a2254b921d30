import JSON
import Reactive
package import StateStore

/// A feature for tests: who is in a lobby, where they point, and how many have left.
struct LobbyState {
    let topic = Variable("")
    let left = Variable(0)
    let here = Table<String, Int>(kept: false)
    let cursors = Table<String, Int>(kept: false)
}

struct LobbyService: StateService {
    let present: Presence
    let allow: ActRule
    let leave: Action<NoInput>
    let move: Action<Pointing>
    let hide: Action<RosterToken>
    let rename: Action<RosterToken>

    init(_ lobby: LobbyState) {
        present = Presence(in: lobby.here, grace: .seconds(3), onLeave: "leave")
        // Nobody sits down at 13.
        allow = ActRule { input, _ in input["row"] != 13 }
        leave = Action { _, commit in commit[lobby.left] += 1 }
        move = Action { input, commit in commit[lobby.cursors, input.name] = input.x }
        hide = Action { input, commit in commit[lobby.cursors, input.token] = nil }
        rename = Action { input, commit in commit[lobby.topic] = input.token }
    }
}

struct Pointing: Record {
    var name = ""
    var x = 0

    static let shape = Shape(Pointing()) {
        $0.required("name", \.name, .line(1...40))
        $0.required("x", \.x)
    }
}

struct LobbyViewModel: ViewModel {
    let here: Observable<[String]>
    let cursors: Observable<[String]>
    let sum: Observable<Int>
    let left: Observable<Int>
    let topic: Observable<String>

    init(_ lobby: LobbyState) {
        here = Self.list(lobby.here.map { key, x in "\(key):\(x)" })
        cursors = Self.list(lobby.cursors.map { key, x in "\(key):\(x)" })
        sum = lobby.cursors.fold(0, add: { $0 + $1 }, remove: { $0 - $1 })
        left = lobby.left.map { $0 }
        topic = lobby.topic.map { $0 }
    }

    private static func list(_ rows: Rows<String, String>) -> Observable<[String]> {
        rows.fold([], add: { ($0 + [$1]).sorted() }, remove: { list, row in list.filter { $0 != row } })
    }
}

extension Registry {
    /// The lobby, with rows in memory only.
    package static func lobby() throws -> Registry {
        try Registry([Feature("lobby", LobbyState.init, LobbyService.init, LobbyViewModel.init)])
    }
}
