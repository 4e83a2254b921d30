import Reactive

/// What somebody is about to buy.
struct CartState {
    let orders = Table<Int, CartOrder>()
}
