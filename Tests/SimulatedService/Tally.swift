import JSON
import Reactive
package import StateStore

/// A feature for tests whose values say of which version they are: each action of a space adds one.
struct TallyState {
    let total = Variable(0)
}

struct TallyService: StateService {
    let add: Action<NoInput>

    init(_ tally: TallyState, _ rate: ReadOnly<RateState>) {
        add = Action { _, commit in commit[tally.total] += 1 }
    }
}

struct TallyViewModel: ViewModel {
    /// The version of the space,
    let total: Observable<Int>
    /// and twice the version.
    let double: Observable<Int>
    /// A value that only every fourth version changes.
    let quarter: Observable<Int>
    /// The version of the space and that of `common`.
    let both: Observable<[Int]>

    init(_ tally: TallyState, _ rate: ReadOnly<RateState>) {
        total = tally.total.map { $0 }
        double = tally.total.map { 2 * $0 }
        quarter = tally.total.map { $0 / 4 }.removeDuplicates()
        both = combineLatest(tally.total, rate.count).map { [$0, $1] }
    }
}

/// The same of `common`.
struct RateState {
    let count = Variable(0)
}

struct RateService: StateService {
    let add: Action<NoInput>

    init(_ rate: RateState) {
        add = Action { _, commit in commit[rate.count] += 1 }
    }
}

struct RateViewModel: ViewModel {
    let count: Observable<Int>

    init(_ rate: RateState) {
        count = rate.count.map { $0 }
    }
}

extension Feature {
    /// The features whose values say of which versions they are.
    package static var tallies: [Feature] {
        [
            Feature("rate", in: .common, RateState.init, RateService.init) { RateViewModel($0) },
            Feature("tally", given: RateState.self, TallyState.init, TallyService.init, TallyViewModel.init),
        ]
    }
}
