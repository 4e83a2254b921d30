import JSON
import StateStore

/// Keeping the rates.
struct RatesService: StateService {
    /// For how long rates are good enough.
    static let freshSeconds: Int64 = 60 * 60

    let ask: Finding<Nothing>
    let answered: Finding<RateTable>
    let failed: Finding<RatesFailure>

    init(_ rates: RatesState) {
        ask = Finding { commit in
            if let table = commit[rates.table], commit.now.microseconds - Int64(table.asOf) < Self.freshSeconds * 1_000_000 { return }
            guard commit[rates.asked] == nil else { return }
            commit[rates.asked] = RatesRequest(number: commit.version)
        }
        answered = Finding { answer, commit in
            let known = commit[rates.table]?.rates ?? [:]
            // One that is not told this time is good until it is.
            commit[rates.table] = RateTable(
                rates: known.merging(answer.rates) { _, new in new }, asOf: Int(commit.now.microseconds))
            commit[rates.asked] = nil
            commit[rates.problem] = nil
        }
        failed = Finding { failure, commit in
            commit[rates.asked] = nil
            commit[rates.problem] = failure.reason
        }
    }
}

/// Why the rates cannot be had.
struct RatesFailure: Record {
    var reason = ""

    static let shape = Shape(RatesFailure()) {
        $0.required("reason", \.reason)
    }
}
