import Reactive
import StateStore

/// The content of a cart.
struct CartState {
    let orders = Table<Int, CartOrder>()
}
