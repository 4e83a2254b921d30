import Reactive
import StateStore

struct ShopState { let orders = Table<String, [Int]>() }

struct ShopViewModel: ViewModel {
    let orders: PersonalView<[Int]?>

    init(_ shop: ShopState) {
        // snippet
    }
}
