import JSON
import Reactive
import ServiceInProcess
import StateStore

/// A feature with rules: what it keeps is for its members.
struct VaultState {
    let members = Table<String, Bool>()
    let secret = Variable("")
    let notes = Table<String, String>()
}

struct Member: Record {
    var name = ""

    static let shape = Shape(Member()) { $0.required("name", \.name, .line(1...64)) }
}

struct Content: Record {
    var text = ""
    var id = "a"
    /// A member that leaves in the same commit.
    var without = ""

    static let shape = Shape(Content()) {
        $0.required("text", \.text, .line(1...64))
        $0.optional("id", \.id, .line(1...64))
        $0.optional("without", \.without)
    }
}

struct VaultService: StateService {
    let admit: Action<Member>
    let dismiss: Action<Member>
    let fill: Action<Content>
    let leave: Action<NoInput>
    let touch: Action<NoInput>

    init(_ vault: VaultState) {
        admit = Action { input, commit in commit[vault.members, input.name] = true }
        dismiss = Action { input, commit in commit[vault.members, input.name] = nil }
        fill = Action(
            allow: { input, commit in
                // A member who writes "broken" makes the rule fail.
                if input.text == "broken" { throw ServiceInProcess.NoAnswer() }
                return commit[vault.members, commit.caller.subject ?? ""] == true
            },
            { input, commit in
                commit[vault.secret] = input.text
                commit[vault.notes, input.id] = input.text
                if !input.without.isEmpty { commit[vault.members, input.without] = nil }
            })
        leave = Action { commit in commit[vault.members, commit.caller.subject ?? ""] = nil }
        touch = Action { commit in commit[vault.members, "touched"] = true }
    }
}

/// The number of times that the rule of a vault was asked.
final class RuleCount: @unchecked Sendable {
    // Sendable because a service in process runs on the thread of its test.
    var asked = 0
    var answered = 0
}

struct VaultViewModel: ViewModel {
    let secret: GuardedView<String>
    let lines: GuardedView<[String]>
    let note: ParameterView<Member, String>
    let mine: PersonalView<String>
    let hall: Observable<Int>

    init(_ vault: VaultState, _ count: RuleCount) {
        let members = ReadRule(reading: ["sub"]) { viewer in
            count.asked += 1
            return vault.members.row(viewer.subject ?? "").map { row in
                count.answered += 1
                return row == true
            }
        }
        secret = GuardedView(vault.secret.map { $0 }, allow: members)
        lines = GuardedView(vault.secret.map { [$0] }, allow: members)
        note = ParameterView(
            reading: ["sub"],
            allow: { note, viewer in
                vault.members.row(viewer.subject ?? "").map { $0 == true && note.name != "locked" }
            },
            { note in vault.notes.row(note.name).map { $0 ?? "" } })
        mine = PersonalView(reading: ["sub"]) { viewer in
            let subject = viewer.subject ?? ""
            return vault.members.row(subject).map { "\(subject) in \(viewer.space): \($0 == true)" }
        }
        hall = vault.members.rowCount()
    }
}

extension ServiceInProcess {
    /// Tokens of the file: `token-ada`, `token-bob`, `token-eve` (read only) and `token-root` (admin).
    static let people = """
        7c3f6ea4fda1de0bd042a000e29c6cf75b0edf98a7228733604e0566a1ab54a9 act,define * subject=ada
        1ccf8933062b5a156c5f57ad39314916ec1cbf46db164a70721323b8523c7068 act,define * subject=bob
        e5b06b946869f41b1046aeb12dd15d8b1258f3e4e1137f68cfa6c48d281b8808 read * subject=eve
        9143f1e7a5d04bb6d27b1748ceb49a233bd9ff2c687afb3c2a5ea4506256aac5 admin * subject=root
        """

    static func person(_ name: String) -> [String: String] { ["Authorization": "Bearer token-\(name)"] }

    /// A service with a vault whose member is ada, and which holds the word SECRET.
    static func withVault(_ count: RuleCount = RuleCount()) throws -> ServiceInProcess {
        let vault = Feature("vault", VaultState.init, VaultService.init) { VaultViewModel($0, count) }
        let hall = Feature("hall", given: VaultState.self, HallState.init, HallService.init, HallViewModel.init)
        let service = try ServiceInProcess(tokenFile: people, arguments: ["--mcp"], features: [vault, hall])
        for (action, body) in [
            ("admit", #"{"name": "ada"}"#), ("admit", #"{"name": "root"}"#), ("fill", #"{"text": "FIRST"}"#),
            ("fill", #"{"text": "SECRET"}"#),
        ] {
            _ = try service.ask("POST /v1/spaces/main/vault/\(action)", person("root"), body)
        }
        _ = try service.ask("POST /v1/spaces/main/vault/dismiss", person("root"), #"{"name": "root"}"#)
        let stream = #"{"name": "s", "source": {"view": "vault.secret"}, "operators": []}"#
        let kept =
            #"{"name": "k", "source": {"view": "vault.secret"}, "operators": [{"scan": {"initialValue": "", "#
            + #""expression": "accumulated + value"}}]}"#
        for (id, document) in [("s", stream), ("k", kept)] {
            _ = try service.ask("PUT /v1/spaces/main/streams/\(id)", person("root"), document)
        }
        return service
    }
}

/// A feature without rules that reads the state of the vault.
struct HallState {
    let visits = Variable(0)
}

struct HallService: StateService {
    let visit: Action<NoInput>

    init(_ hall: HallState, _ vault: ReadOnly<VaultState>) {
        visit = Action { commit in commit[hall.visits] += 1 }
    }
}

struct HallViewModel: ViewModel {
    let visits: Observable<Int>

    init(_ hall: HallState, _ vault: ReadOnly<VaultState>) {
        visits = hall.visits.map { $0 }
    }
}
