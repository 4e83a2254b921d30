import JSON
import Reactive
import StateStore

/// The view of the rates.
struct RatesViewModel: ViewModel {
    let rates: Observable<[String: Decimal]>
    let problem: Observable<String?>

    init(_ state: RatesState) {
        rates = state.table.map { $0?.rates ?? [:] }.removeDuplicates()
        problem = state.problem
    }
}
