import StateModel

/// A kiosk that refuses for each reason that a feature has, for tests of the client.
let kiosk = FeatureModel("kiosk", KioskState.init, KioskService.init, KioskViewModel.init)

/// A feature of all spaces.
let counter = FeatureModel("counter", in: .common, CounterState.init, CounterService.init, CounterViewModel.init)

struct KioskState {
    let papers = Table<String, Paper>()
    let byTitle: RowIndex<String, OrderOfKeys, String, Paper>

    init() { byTitle = RowIndex(of: papers, by: \.title, isUnique: true) }
}

extension KioskState: ReplicatedState {
    static let replica = ReplicaParts<KioskState> { $0.whole(\.papers) }
}

enum PaperKind: String, Choice { case daily, weekly }

struct Paper: Record {
    var title = ""
    var kind = PaperKind.daily
    var price = 0

    static let shape = Shape(Paper()) {
        $0.required(\.title, .line(1...20))
        $0.optional(\.kind)
        $0.optional(\.price, .from(0...100))
    }
}

struct KioskService: StateService {
    let sell: Action<Paper>
    let close: Action<NoInput>
    let count: Action<NoInput>

    init(_ kiosk: KioskState) {
        sell = Action { input, commit throws(Rejection) in
            guard input.price != 13 else {
                throw Rejection(
                    .invalid, "two faults", at: JSONPointer(["price"]), allowed: ["12", "14"],
                    others: [Rejection.Detail("the other one", at: JSONPointer(["title"]), allowed: ["a"])])
            }
            guard input.price != 14 else { throw .conflict("not for this price", at: "price", allowed: ["12"]) }
            commit[kiosk.papers, commit.newID()] = input
        }
        close = Action(allow: { _, _ in false }) { _, _ in }
        count = Action { commit throws(Rejection) in
            throw .conflict("there are \(commit.rowCount(of: kiosk.papers))")
        }
    }
}

struct KioskViewModel: ViewModel {
    let papers: OrderedRows<String, Paper>
    let ofKind: ParameterList<PaperOfKind, String, Paper>
    let secret: GuardedView<Int>
    let broken: Observable<Int>

    init(_ kiosk: KioskState) {
        papers = kiosk.papers.sorted(by: \.title)
        ofKind = ParameterView { input in kiosk.papers.filter { $1.kind == input.kind }.sorted(by: \.title) }
        secret = GuardedView(kiosk.papers.rowCount(), allow: ReadRule(reading: ["sub"]) { _ in .just(false) })
        broken = kiosk.papers.rowCount().map { _ in throw Rejection.conflict("this view fails") }
    }
}

struct PaperOfKind: Record { var kind = PaperKind.daily }

struct CounterState { let count = Variable(0) }

struct CounterService: StateService {
    let add: Action<NoInput>

    init(_ counter: CounterState) { add = Action { commit in commit[counter.count] += 1 } }
}

struct CounterViewModel: ViewModel {
    let count: Observable<Int>

    init(_ counter: CounterState) { count = counter.count.map { $0 } }
}
