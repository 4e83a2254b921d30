import Reactive
import ServerReads
import StateStore
import Systems

private let registry = sure { try Registry(systems()) }

private let space = SpaceName("main")!

/// Two inputs that alternate, so that each commit makes a change.
private let names = [Array(#"{"name":"Ada"}"#.utf8), Array(#"{"name":"Grace"}"#.utf8)]

private func saves(watching views: [String] = []) -> (Int) -> Void {
    let stores = Stores.inline(registry)
    let watch = stores[0].watch(views, in: space) { _ in }
    // The action is looked up once, as the request router does.
    guard let save = registry.action(feature: "user", name: "save") else {
        preconditionFailure("there is no such action")
    }
    return { number in
        withExtendedLifetime(watch) {
            stores[0].perform(Call(save, input: names[number & 1]), in: space) { _ in }
        }
    }
}

/// Increments and decrements one product in a cart of `count` products.
private func increments(inCartOf count: Int, watching views: [String] = []) -> (Int) -> Void {
    let stores = Stores.inline(registry)
    stores.fillCart(of: space, count: count)
    let watch = stores[0].watch(views, in: space) { _ in }
    let inputs = (1...count).map { Array(#"{"productId":\#($0)}"#.utf8) }
    return { number in
        withExtendedLifetime(watch) {
            let input = inputs[number / 2 % count]
            stores[0].perform(
                Call(feature: "cart", action: number & 1 == 0 ? "increment" : "decrement", input: input), in: space
            ) { _ in }
        }
    }
}

/// The store: an action from JSON input to result, with a journal in memory.
let storeMeasurements = MeasurementGroup(
    name: "store",
    comparisons: [
        Comparison(
            name: "increment in a cart of 10,000 compared with one of 10", allowed: 3, operations: 20_000,
            ours: { increments(inCartOf: 10_000) },
            limit: { increments(inCartOf: 10) }),
        Comparison(
            name: "the same with cart.totalPrice watched", allowed: 3, operations: 20_000,
            ours: { increments(inCartOf: 10_000, watching: ["cart.totalPrice"]) },
            limit: { increments(inCartOf: 10, watching: ["cart.totalPrice"]) }),
        Comparison(
            name: "the same with cart.orders watched, which the view contains whole", allowed: nil, operations: 20,
            ours: { increments(inCartOf: 10_000, watching: ["cart.orders"]) },
            limit: { increments(inCartOf: 10, watching: ["cart.orders"]) }),
    ],
    bounds: [
        Bound(
            name: "a commit of one small variable, unwatched", allowed: 1_500, operations: 50_000,
            operation: { saves() }),
        Bound(
            name: "the same with one derived view watched", allowed: 2_500, operations: 50_000,
            operation: { saves(watching: ["user.name"]) }),
    ])
