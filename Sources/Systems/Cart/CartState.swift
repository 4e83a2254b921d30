import Reactive
import StateStore

/// What somebody is about to buy.
struct CartState {
    let orders = Table<Int, CartOrder>()
}
