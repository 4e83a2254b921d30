import JSON
import Reactive
import StateStore

/// A feature in Swift with rules, a private member and a personal view.
struct SafeState {
    let members = Table<String, Bool>()
    let content = Variable("")
    let items = Table<String, SafeItem>()
}

struct SafeItem: Record {
    var owner = ""
    var title = ""
    var pin = ""

    static let shape = Shape(SafeItem()) {
        $0.required("owner", \.owner)
        $0.required("title", \.title)
        $0.required("pin", \.pin, private: true)
    }
}

struct SafeMember: Record {
    var name = ""

    static let shape = Shape(SafeMember()) { $0.required("name", \.name, .line(1...64)) }
}

struct SafeContent: Record {
    var id = ""
    var text = ""
    var pin = ""

    static let shape = Shape(SafeContent()) {
        $0.required("id", \.id, .line(1...64))
        $0.required("text", \.text)
        $0.required("pin", \.pin, private: true)
    }
}

struct SafeService: StateService {
    let admit: Action<SafeMember>
    let fill: Action<SafeContent>
    let knock: Action<NoInput>

    init(_ safe: SafeState) {
        admit = Action(
            allow: { _, commit in ["root", "mia"].contains(commit.caller.subject ?? "") },
            { input, commit in commit[safe.members, input.name] = true })
        fill = Action(
            allow: { _, commit in commit[safe.members, commit.caller.subject ?? ""] == true },
            { input, commit in
                commit[safe.content] = input.text
                commit[safe.items, input.id] = SafeItem(
                    owner: commit.caller.subject ?? "", title: "item", pin: input.pin)
            })
        knock = Action { commit in commit[safe.members, "knocked"] = true }
    }
}

struct SafeViewModel: ViewModel {
    let content: GuardedView<String>
    let item: ParameterView<SafeMember, SafeItem?>
    let mine: PersonalView<Bool>
    let count: Observable<Int>

    init(_ safe: SafeState) {
        let members = ReadRule(reading: ["sub"]) { viewer in
            safe.members.row(viewer.subject ?? "").map { $0 == true }
        }
        content = GuardedView(safe.content.map { $0 }, allow: members)
        item = ParameterView(
            reading: ["sub"], allow: { _, viewer in safe.members.row(viewer.subject ?? "").map { $0 == true } },
            { input in safe.items.row(input.name) })
        mine = PersonalView(reading: ["sub"]) { viewer in
            safe.members.row(viewer.subject ?? "").map { $0 == true }
        }
        count = safe.items.rowCount()
    }
}

/// A feature in Swift whose rule holds for all its views, and one without rules that shows a part of its state.
struct CellarState {
    let bottles = Variable(0)
}

struct CellarInput: Record {
    var bottles = 0

    static let shape = Shape(CellarInput()) { $0.required("bottles", \.bottles) }
}

struct CellarService: StateService {
    let allow: ActRule
    let store: Action<CellarInput>

    init(_ cellar: CellarState) {
        allow = ActRule { _, commit in commit.caller.subject == "mia" }
        store = Action { input, commit in commit[cellar.bottles] = input.bottles }
    }
}

struct CellarViewModel: ViewModel {
    let allow: ReadRule
    let bottles: Observable<Int>

    init(_ cellar: CellarState) {
        allow = ReadRule(reading: ["sub"]) { viewer in .just(viewer.subject == "mia") }
        bottles = cellar.bottles.map { $0 }
    }
}

struct KitchenState {
    let meals = Variable(0)
}

struct KitchenService: StateService {
    let cook: Action<NoInput>

    init(_ kitchen: KitchenState, _ cellar: ReadOnly<CellarState>) {
        cook = Action { commit in commit[kitchen.meals] += 1 }
    }
}

struct KitchenViewModel: ViewModel {
    let meals: Observable<Int>
    let wine: Observable<Int>

    init(_ kitchen: KitchenState, _ cellar: ReadOnly<CellarState>) {
        meals = kitchen.meals.map { $0 }
        wine = combineLatest(kitchen.meals, cellar.bottles).map { $0 + $1 }
    }
}

extension DocumentPlan {
    /// The state of the features in Swift, as a document can be given it.
    static let inSwift = [
        DocumentPlan(
            inSwift: "safe", .ruled,
            [
                StatePlan(
                    name: "items", isTable: true,
                    members: [
                        MemberPlan(path: ["owner"], form: .word, secrecy: .open),
                        MemberPlan(path: ["title"], form: .word, secrecy: .open),
                        MemberPlan(path: ["pin"], form: .word, secrecy: .isPrivate),
                    ]),
                StatePlan(
                    name: "content", isTable: false,
                    members: [MemberPlan(path: [], form: .word, secrecy: .guarded)]),
            ]),
        DocumentPlan(
            inSwift: "cellar", .closed,
            [
                StatePlan(
                    name: "bottles", isTable: false,
                    members: [MemberPlan(path: [], form: .integer, secrecy: .open)])
            ]),
    ]

    private init(inSwift name: String, _ posture: Posture, _ states: [StatePlan]) {
        self.init(
            name: name, isCommon: false, posture: posture, given: [], states: states, views: [], actions: [], rule: "",
            secretRule: "", hasSchedules: false, hasPresence: false, initial: [:])
    }
}

/// The features in Swift of both worlds.
func featuresInSwift() -> [Feature] {
    [
        Feature("safe", SafeState.init, SafeService.init, SafeViewModel.init),
        Feature("cellar", CellarState.init, CellarService.init, CellarViewModel.init),
        Feature(
            "kitchen", given: CellarState.self, KitchenState.init, KitchenService.init, KitchenViewModel.init),
    ]
}
