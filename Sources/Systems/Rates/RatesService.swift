import JSON
import StateStore

/// The actions that keep the rates.
struct RatesService: StateService {
    /// The time in seconds during which rates count as fresh.
    static let freshSeconds: Int64 = 60 * 60

    let ask: InternalAction<NoInput>
    let answered: InternalAction<RateTable>
    let failed: InternalAction<RatesFailure>

    init(_ rates: RatesState) {
        ask = InternalAction { commit in
            if let table = commit[rates.table],
                commit.now.microseconds - Int64(table.asOf) < Self.freshSeconds * 1_000_000
            {
                return
            }
            guard commit[rates.asked] == nil else { return }
            commit[rates.asked] = RatesRequest(number: commit.version)
        }
        answered = InternalAction { answer, commit in
            let known = commit[rates.table]?.rates ?? [:]
            // A rate that is missing from this response keeps its last value.
            commit[rates.table] = RateTable(
                rates: known.merging(answer.rates) { _, new in new }, asOf: Int(commit.now.microseconds))
            commit[rates.asked] = nil
            commit[rates.problem] = nil
        }
        failed = InternalAction { failure, commit in
            commit[rates.asked] = nil
            commit[rates.problem] = failure.reason
        }
    }
}

/// A failed request for rates, with the reason.
struct RatesFailure: Record {
    var reason = ""

    static let shape = Shape(RatesFailure()) {
        $0.required("reason", \.reason)
    }
}
