import JSON
import Reactive
import StateStore

/// A feature with all that a server guards and does besides acting: rules, personal views, presence, requests to others.
enum Club {
    static let feature = Feature(
        "club", ClubState.init, ClubService.init, ClubViewModel.init, effects: { ClubEffects($0, $1) })
}

struct ClubState {
    let members = Table<String, Member>()
    let here = Table<String, JSON>(kept: false)
    let wanted = Variable<String?>(nil)
    let left = Variable<[String]>([])
    let byLevel: RowIndex<Level, Money, String, Member>

    init() { byLevel = RowIndex(of: members, by: \.level, sortedBy: { $0.level == .full ? 0.5 : 1 }) }
}

struct Member: Record {
    var name = ""
    var level = Level.guest
    var invitedBy: String?
}

enum Level: String, Choice { case guest, full }

struct MemberName: Record { var name = "" }

struct Departure: Record { var key = "" }

struct ClubService: StateService {
    let join: Action<MemberName>
    let promote: Action<MemberName>
    let look: Action<MemberName>
    let found: InternalAction<Member>
    let count: AnsweringAction<NoInput, Int>
    let here: Presence
    let leave: Action<Departure>

    init(_ club: ClubState) {
        join = Action { input, commit throws(Rejection) in
            commit[club.members, input.name] = Member(name: input.name, invitedBy: commit.caller.subject)
        }
        promote = Action(allow: { _, commit in commit.caller.claim("role") == "chair" }) {
            input, commit throws(Rejection) in
            guard var member = commit[club.members, input.name] else { throw .conflict("no such member", at: "name") }
            member.level = .full
            commit[club.members, input.name] = member
        }
        look = Action { input, commit throws(Rejection) in commit[club.wanted] = input.name }
        found = InternalAction { member, commit throws(Rejection) in
            commit[club.wanted] = nil
            commit[club.members, member.name] = member
        }
        count = AnsweringAction { commit in commit.rowCount(of: club.members) }
        here = Presence(in: club.here, grace: .seconds(5), onLeave: "leave")
        leave = Action { input, commit throws(Rejection) in commit[club.left] += [input.key] }
    }
}

struct ClubViewModel: ViewModel {
    let members: OrderedRows<String, Member>
    let count: Observable<Int>
    /// Who has invited whom: a join by a foreign key.
    let invitations: OrderedRows<String, String>
    let atLevel: ParameterList<AtLevel, String, Member>
    let mine: PersonalView<Member?>
    let secret: ParameterView<NoSecret, String>
    let here: OrderedRows<String, String>
    let left: Observable<[String]>
    let levels: Observable<Int>
    let guests: Observable<RowList<String, Member>>

    init(_ club: ClubState) {
        levels = club.byLevel.groupCount()
        guests = club.byLevel.list(of: .guest)
        members = club.members.sorted()
        count = club.members.fold(0, add: { count, _ in count + 1 }, remove: { count, _ in count - 1 })
            .removeDuplicates()
        invitations = club.members.joined(with: club.members, by: { _, member in member.invitedBy }) {
            _, member, host in "\(host.map { "\($0.name) (\($0.level.rawValue))" } ?? "nobody") invited \(member.name)"
        }.sorted()
        atLevel = ParameterView { input in club.members.filter { $1.level == input.level }.sorted() }
        mine = PersonalView(reading: ["sub"]) { viewer in club.members.row(viewer.subject ?? "") }
        secret = ParameterView(
            reading: ["sub"], allow: { _, viewer in club.members.row(viewer.subject ?? "").map { $0?.level == .full } }
        ) { input in club.wanted.map { "\(input.prefix)\($0 ?? "nobody")" } }
        here = club.here.map { key, _ in key }.sorted()
        left = club.left.map { $0 }
    }
}

struct AtLevel: Record { var level = Level.guest }

struct NoSecret: Record {
    var prefix = ""

    static let shape = Shape(NoSecret()) { $0.optional(\.prefix) }
}

struct ClubEffects: Effects {
    let search: Effect

    init(_ club: ClubState, _ outside: Outside) {
        search = Effect(for: club.wanted) { name in
            outside.fetchJSON(
                OutgoingRequest("GET", "http://registry.example/\(name)?key=secret", target: "registry"),
                from: "the registry"
            )
            .withTimeoutAndRetries(on: outside.scheduler)
            .map { Member(name: name, level: try $0.text("level") == "full" ? .full : .guest) }
            .handleEvents(value: { outside.log.info("found \($0.name)") })
            .catch { error in
                outside.log.warning(Outside.words(for: error))
                return .just(Member(name: name))
            }
            .flatMap { outside.perform(\ClubService.found, $0) }
        }
    }
}
