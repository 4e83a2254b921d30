import JSON
import Reactive
import ServiceInProcess
import StateStore

/// A feature with tables that are not kept: the people in a room, and their cursors.
struct RoomState {
    let topic = Variable("")
    let departed = Table<String, Int>()
    let here = Table<String, Seat>(kept: false)
    let cursors = Table<String, Int>(kept: false)
}

struct Seat: Record {
    var x = 0

    static let shape = Shape(Seat()) { $0.optional("x", \.x) }
}

struct Departure: Record {
    var key = ""
    var row = Seat()

    static let shape = Shape(Departure()) {
        $0.required("key", \.key, .line(0...255))
        $0.required("row", \.row)
    }
}

struct Move: Record {
    var name = ""
    var x = 0

    static let shape = Shape(Move()) {
        $0.required("name", \.name, .line(1...64))
        $0.optional("x", \.x)
    }
}

struct RoomService: StateService {
    let here: Presence
    let allow: ActRule
    let left: Action<Departure>
    let move: Action<Move>
    let remove: Action<Move>
    let rename: Action<Move>
    let both: Action<Move>

    init(_ room: RoomState) {
        here = Presence(in: room.here, grace: .seconds(5), onLeave: "left")
        // Nobody sits down at x = 13, and only the root seats others.
        allow = ActRule { input, commit in
            if input["row"]?["x"] == 13 { return false }
            guard case .string(let key)? = input["key"], let subject = commit.caller.subject else { return true }
            return key == subject || subject == "root"
        }
        left = Action { input, commit in
            commit[room.departed, input.key] = (commit[room.departed, input.key] ?? 0) + 1
        }
        move = Action { input, commit in commit[room.cursors, input.name] = input.x }
        remove = Action { input, commit in commit[room.cursors, input.name] = nil }
        rename = Action { input, commit in commit[room.topic] = input.name }
        both = Action { input, commit in
            commit[room.topic] = input.name
            commit[room.cursors, input.name] = input.x
        }
    }
}

struct RoomViewModel: ViewModel {
    let here: Observable<[String]>
    let cursors: Observable<[String]>
    let cursor: ParameterView<Member, Int>
    let topic: Observable<String>
    let departed: Observable<[String]>
    let both: Observable<String>

    init(_ room: RoomState) {
        here = Self.list(room.here.map { key, seat in "\(key):\(seat.x)" })
        cursors = Self.list(room.cursors.map { key, x in "\(key):\(x)" })
        cursor = ParameterView { input in room.cursors.row(input.name).map { $0 ?? -1 } }
        topic = room.topic.map { $0 }
        departed = Self.list(room.departed.map { key, count in "\(key):\(count)" })
        both = combineLatest(room.topic, room.cursors.rowCount()).map { "\($0) \($1)" }
    }

    private static func list(_ rows: Rows<String, String>) -> Observable<[String]> {
        rows.fold([], add: { ($0 + [$1]).sorted() }, remove: { list, row in list.filter { $0 != row } })
    }
}

extension Feature {
    static let room = Feature("room", RoomState.init, RoomService.init, RoomViewModel.init)
}
