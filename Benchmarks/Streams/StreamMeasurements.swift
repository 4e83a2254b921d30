import Hosting
import JSON
import Reactive
import ServerReads
import StateStore
import Streams
import Systems

private let space = SpaceName("main")!

private let registry = sure { try Registry(systems() + [.streams()]) }

/// Returns stores with `count` products in the cart of `space`, and some stream definitions.
private func store(products count: Int = 0, definitions: [String] = []) -> Stores {
    let stores = Stores.inline(registry)
    stores.fillCart(of: space, count: count)
    for definition in definitions {
        stores[0].perform(Call(feature: "streams", action: "put", input: Array(definition.utf8)), in: space) {
            if case .failure(let refusal) = $0 { preconditionFailure("\(refusal)") }
        }
    }
    return stores
}

/// A stream that counts the orders of the cart and remembers the number of its changes.
private func counting(_ id: String) -> String {
    #"{"id":"\#(id)","source":{"view":"cart.orders"},"operators":[{"map":{"expression":"size(value)"}},"#
        + #"{"scan":{"initialValue":0,"expression":"accumulated + value"}}]}"#
}

private let inputs = (1...50).map { Array(#"{"productId":\#($0)}"#.utf8) }

private func changesCart(of stores: Stores) -> (Int) -> Void {
    { number in
        let action = number & 1 == 0 ? "increment" : "decrement"
        stores[0].perform(Call(feature: "cart", action: action, input: inputs[number / 2 % 50]), in: space) { _ in }
    }
}

/// Starts a run of a stream, as a request does: from the definitions that the space has now.
private func start(_ id: String, in store: Store, _ receive: @escaping (StreamEvent) -> Void) -> StreamRun {
    var run: StreamRun?
    store.definitions(of: .ofServer(["streams.definitions"], in: space, store.registry)) { result in
        guard let program = try? result.get().program(id) else { preconditionFailure("the definitions cannot be read") }
        let permit = ReadPermit.ofServer(program.views.sorted(), in: space, store.registry)
        run = StreamRun(
            program, on: VirtualScheduler(), sources: ExternalSources(store, permit, for: program), receive: receive)
    }
    guard let run else { preconditionFailure("the run has not started") }
    return run
}

private func feedingView() -> (Int) -> Void {
    let stores = store(products: 50, definitions: [counting("orders")])
    let watch = stores[0].watch(["streams.orders"], in: space) { _ in }
    let change = changesCart(of: stores)
    return { number in withExtendedLifetime(watch) { change(number) } }
}

private func feedingRuns(_ count: Int) -> (Int) -> Void {
    let stores = store(products: 50, definitions: [counting("orders")])
    let runs = (0..<count).map { _ in start("orders", in: stores[0]) { _ in } }
    let change = changesCart(of: stores)
    return { number in withExtendedLifetime(runs) { change(number) } }
}

private func starting() -> (Int) -> Void {
    let stores = store(products: 1, definitions: (0..<90).map { counting("s\($0)") })
    return { number in _ = start("s\(number % 90)", in: stores[0]) { _ in } }
}

/// Replaces one definition of 100 by another.
private func putting() -> (Int) -> Void {
    let stores = store(products: 1, definitions: (0..<90).map { counting("s\($0)") })
    let documents = [counting("s0"), counting("s0").replacing("size(value)", with: "size(value) + 1")]
        .map { Array($0.utf8) }
    guard let put = registry.action(feature: "streams", name: "put") else {
        preconditionFailure("there is no such action")
    }
    return { number in
        guard let document = try? JSON(parsing: documents[number & 1]) else { preconditionFailure("it is JSON") }
        stores[0].perform(Call(put, input: (try? document.json()) ?? []).with(tree: document), in: space) { _ in }
    }
}

/// Streams in a store: from a commit to a run, and from a request to a run.
let streamMeasurements = MeasurementGroup(
    name: "streams in a store", comparisons: [],
    bounds: [
        Bound(
            name: "an action that feeds one live stream view of 50 orders", allowed: 200_000, operations: 500,
            operation: feedingView),
        Bound(
            name: "an action that feeds one run from a view of 50 orders", allowed: 200_000, operations: 500,
            operation: { feedingRuns(1) }),
        Bound(
            name: "an action that feeds ten runs from a view of 50 orders", allowed: 400_000, operations: 200,
            operation: { feedingRuns(10) }),
        Bound(
            name: "a run start in a space with 100 definitions", allowed: 50_000, operations: 200, operation: starting),
        Bound(
            name: "a put that replaces one definition of 100", allowed: 100_000, operations: 200, operation: putting),
    ])
