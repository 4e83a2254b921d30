import Reactive
import StateStore

struct Addition: Record { var quantity = 1 }

struct CartViewModel: ViewModel {
    let added: Observable<Int>

    init() {
        // snippet
    }
}
