import JSON
import Reactive
import StateStore
import Streams

/// A market whose view model remembers.
struct TapedViewModel: ViewModel {
    let amount: Observable<Int>
    let total: Observable<Int>
    let sum: Observable<Int>
    let even: Observable<Int>
    let late: Observable<Int>
    let three: Observable<[Int]>
    let all: Observable<[Int]>
    let pairs: Observable<[Int]>
    let either: Observable<Int>
    let with: Observable<[Int]>
    let sampled: Observable<Int>
    let folded: Observable<Int>
    let large: Observable<Int>
    let calm: Observable<Int>
    let calms: Observable<Int>
    let delayed: Observable<Int>
    let slow: Observable<Int>
    let both: Observable<[Int]>

    init(_ state: MarketState, _ rate: ReadOnly<RateState>) {
        amount = state.amount
        total = combineLatest(state.amount, rate.rate).map { $0 * $1 }
        sum = total.scan("sum", 0) { $0 + $1 }
        even = state.amount.filter("even") { $0 % 2 == 0 }
        late = total.dropFirst("late", 2)
        three = state.amount.collect("three", 3)
        all = state.other.collect("all")
        pairs = state.amount.zip("pairs", state.other) { [$0, $1] }
        either = merge("either", state.amount, total)
        with = state.amount.withLatestFrom("with", state.other) { [$0, $1] }
        sampled = state.other.sample("sampled", state.amount)
        folded = changes("market/set", Amounts.self).reduce("folded", 0) { $0 + ($1.input.amount ?? 0) }
        large = changes("market/set").compactMap { $0.input["amount"] == 4 ? 1 : nil }.count("large")
        calm = total.debounce("calm", .seconds(1))
        calms = calm.map { $0 / 2 }.count("calms")
        delayed = total.delay("delayed", .seconds(2))
        slow = total.throttle("slow", .seconds(2), latest: true)
        both = combineLatest(sum, calms).map { [$0, $1] }
    }
}

extension Market {
    /// The features of a market whose view model remembers.
    static let taped = [
        features[0],
        Feature("market", given: RateState.self, MarketState.init, MarketService.init, TapedViewModel.init),
        features[2],
    ]
}

/// A view of `TapedViewModel`, computed anew from all moments of the space.
struct TapedView: Sendable {
    let name: String
    let value: @Sendable ([MarketMoment]) -> String

    private static func text(_ value: Int?) -> String { ModelledStream.text(value) }
    private static func text(_ value: [Int]?) -> String { ModelledStream.text(value) }
    private static func inputs(_ moments: [MarketMoment], _ path: KeyPath<MarketMoment, Int>) -> [Int] {
        ModelledStream.inputs(moments, path)
    }

    static let all: [TapedView] = [
        TapedView(name: "sum") { text($0.isEmpty ? nil : inputs($0, \.total).reduce(0, +)) },
        TapedView(name: "even") { text(inputs($0, \.amount).last { $0 % 2 == 0 }) },
        TapedView(name: "late") { text(inputs($0, \.total).dropFirst(2).last) },
        TapedView(name: "three") { moments in
            let inputs = inputs(moments, \.amount)
            let whole = inputs.count / 3 * 3
            return text(whole == 0 ? nil : Array(inputs[(whole - 3)..<whole]))
        },
        TapedView(name: "all") { text(inputs($0, \.other)) },
        TapedView(name: "pairs") { moments in
            text(Array(zip(inputs(moments, \.amount), inputs(moments, \.other))).last.map { [$0.0, $0.1] })
        },
        ModelledStream.all.first { $0.id == "either" }.map { TapedView(name: "either", value: $0.value) }!,
        TapedView(name: "with") { moments in
            let changed = moments.indices.last { $0 == 0 || moments[$0].amount != moments[$0 - 1].amount }
            return text(changed.map { [moments[$0].amount, moments[$0].other] })
        },
        TapedView(name: "sampled") { moments in
            var (latest, shown): (Int?, Int?) = (nil, nil)
            var before: MarketMoment?
            for moment in moments {
                if before?.other != moment.other { latest = moment.other }
                if before?.amount != moment.amount {
                    shown = latest ?? shown
                    latest = nil
                }
                before = moment
            }
            return text(shown)
        },
        TapedView(name: "folded") { text($0.filter { $0.action == "market/set" }.reduce(0) { $0 + $1.amount }) },
        TapedView(name: "large") { text($0.count { $0.action == "market/set" && $0.amount == 4 }) },
        TapedView(name: "calm") { text(calms($0).last) },
        TapedView(name: "calms") { text(calms($0).count) },
        ModelledStream.all.first { $0.id == "delayed" }.map { TapedView(name: "delayed", value: $0.value) }!,
        TapedView(name: "slow") { moments in
            var (opening, waiting, shown, last): (Int?, Int?, Int?, Int?) = (nil, nil, nil, nil)
            for moment in moments {
                if let due = opening, due <= moment.now, let value = waiting {
                    (shown, waiting, opening) = (value, nil, due + 2_000_000)
                }
                guard last != moment.total else { continue }
                last = moment.total
                if let due = opening, moment.now < due {
                    waiting = moment.total
                } else {
                    (shown, waiting, opening) = (moment.total, nil, moment.now + 2_000_000)
                }
            }
            return text(shown)
        },
        TapedView(name: "both") { moments in
            text(moments.isEmpty ? nil : [inputs(moments, \.total).reduce(0, +), calms(moments).count])
        },
    ]

    /// The values that `debounce` has delivered.
    private static func calms(_ moments: [MarketMoment]) -> [Int] {
        var waiting: (due: Int, value: Int)?
        var shown: [Int] = []
        var last: Int?
        for moment in moments {
            if let one = waiting, one.due <= moment.now {
                shown.append(one.value)
                waiting = nil
            }
            if last != moment.total { waiting = (moment.now + 1_000_000, moment.total) }
            last = moment.total
        }
        return shown
    }
}
