import JSON
import StateStore

/// A moment of a space: what its views show after one of its commits.
struct MarketMoment {
    let version: Int
    /// The time that operators see, in microseconds.
    let now: Int
    let amount: Int
    let other: Int
    let total: Int
    /// True for a commit by time.
    let isElapsed: Bool
    let action: String
}

/// A definition, and its value computed anew from all moments since it was put.
struct ModelledStream: Sendable {
    let id: String
    let body: String
    let value: @Sendable ([MarketMoment]) -> String

    var document: String { "{\"id\":\"\(id)\",\(body)}" }

    static func operators(_ view: String, _ operators: String) -> String {
        #""source":{"view":"market.\#(view)"},"operators":[\#(operators)]"#
    }

    /// The distinct values of a view.
    static func inputs(_ moments: [MarketMoment], _ path: KeyPath<MarketMoment, Int>) -> [Int] {
        moments.map { $0[keyPath: path] }.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    static func text(_ value: Int?) -> String { value.map { "\($0)" } ?? "null" }
    static func text(_ values: [Int]?) -> String {
        values.map { "[" + $0.map { "\($0)" }.joined(separator: ",") + "]" } ?? "null"
    }

    static let all: [ModelledStream] = [
        ModelledStream(
            id: "sum", body: operators("total", #"{"scan":{"initialValue":0,"expression":"accumulated + value"}}"#)
        ) { text(inputs($0, \.total).reduce(0, +)) },
        ModelledStream(id: "even", body: operators("amount", #"{"filter":{"expression":"value % 2 == 0"}}"#)) {
            text(inputs($0, \.amount).last { $0 % 2 == 0 })
        },
        ModelledStream(id: "late", body: operators("total", #"{"dropFirst":{"count":2}}"#)) {
            text(inputs($0, \.total).dropFirst(2).last)
        },
        ModelledStream(id: "three", body: operators("amount", #"{"collect":{"count":3}}"#)) { moments in
            let inputs = inputs(moments, \.amount)
            let whole = inputs.count / 3 * 3
            return text(whole == 0 ? nil : Array(inputs[(whole - 3)..<whole]))
        },
        ModelledStream(id: "first", body: operators("amount", #"{"prefix":{"count":2}},{"count":{}}"#)) {
            inputs($0, \.amount).count < 2 ? "null" : "2"
        },
        ModelledStream(
            id: "pairs", body: #""source":{"zip":[{"view":"market.amount"},{"view":"market.other"}]}"#
        ) { moments in
            let pairs = zip(inputs(moments, \.amount), inputs(moments, \.other))
            return text(Array(pairs).last.map { [$0.0, $0.1] })
        },
        ModelledStream(
            id: "either", body: #""source":{"merge":[{"view":"market.amount"},{"view":"market.total"}]}"#
        ) { moments in
            var last: Int?
            var before: MarketMoment?
            for moment in moments {
                if before?.amount != moment.amount { last = moment.amount }
                if before?.total != moment.total { last = moment.total }
                before = moment
            }
            return text(last)
        },
        ModelledStream(
            id: "with", body: operators("amount", #"{"withLatestFrom":{"source":{"view":"market.other"}}}"#)
        ) { moments in
            let changed = moments.indices.last { $0 == 0 || moments[$0].amount != moments[$0 - 1].amount }
            return text(changed.map { [moments[$0].amount, moments[$0].other] })
        },
        ModelledStream(
            id: "folded",
            body:
                #""source":{"fold":{"over":{"changes":["market/set"]},"initialValue":0,"expression":"accumulated + 1"}}"#
        ) { text($0.dropFirst().count { $0.action == "market/set" }) },
        ModelledStream(id: "calm", body: operators("total", #"{"debounce":{"seconds":1}}"#)) { moments in
            timed(moments, \.total) { value, now in value.map { (now + 1_000_000, $0) } }
        },
        ModelledStream(id: "delayed", body: operators("total", #"{"delay":{"seconds":2}}"#)) { moments in
            var waiting: [(due: Int, value: Int)] = []
            var shown: Int?
            var last: Int?
            for moment in moments {
                while let first = waiting.first, first.due <= moment.now {
                    shown = waiting.removeFirst().value; _ = first
                }
                if last != moment.total { waiting.append((moment.now + 2_000_000, moment.total)) }
                last = moment.total
            }
            return text(shown)
        },
    ]

    /// The value that one alarm delivers: each input replaces the one that waits.
    private static func timed(
        _ moments: [MarketMoment], _ path: KeyPath<MarketMoment, Int>, _ wait: (Int?, Int) -> (due: Int, value: Int)?
    ) -> String {
        var waiting: (due: Int, value: Int)?
        var shown: Int?
        var last: Int?
        for moment in moments {
            if let due = waiting, due.due <= moment.now {
                shown = due.value
                waiting = nil
            }
            let value = moment[keyPath: path]
            if last != value { waiting = wait(value, moment.now) }
            last = value
        }
        return text(shown)
    }
}

extension Market {
    /// The moments since a version, from the commits alone.
    func moments(from version: Int) throws -> [MarketMoment] {
        let common = try commits(of: .common)
        var rates = [1]
        for commit in common { rates.append(Self.number(commit.facts, "rates.rate") ?? rates[rates.count - 1]) }
        var (amount, other) = (0, 0)
        var moments: [MarketMoment] = []
        for commit in try commits() {
            amount = Self.number(commit.facts, "market.amount") ?? amount
            other = Self.number(commit.facts, "market.other") ?? other
            let isElapsed = commit.action == "streams/elapsed"
            moments.append(
                MarketMoment(
                    version: commit.version, now: Int(isElapsed ? Self.due(commit) : commit.at.microseconds),
                    amount: amount, other: other, total: amount * rates[commit.common], isElapsed: isElapsed,
                    action: commit.action))
        }
        return moments.filter { $0.version >= version }
    }

    private static func number(_ facts: Facts, _ variable: String) -> Int? {
        facts.last { $0.variable == variable }?.value.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    /// The time in the input of a commit by time. All times of the test are on the first day of 1970.
    private static func due(_ commit: CommitRecord) -> Int64 {
        let text = String(decoding: commit.input ?? [], as: UTF8.self)
        let digits = text.split(separator: "T").last?.filter(\.isNumber) ?? ""
        guard let number = Int64(digits) else { return 0 }
        let (clock, fraction) = (number / 1_000_000, number % 1_000_000)
        return (clock / 10_000 * 3_600 + clock / 100 % 100 * 60 + clock % 100) * 1_000_000 + fraction
    }
}
