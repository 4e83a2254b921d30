import ServerReads
import StateStore
import Streams
import Systems

private let registry = sure { try Registry(systems() + [.streams()]) }

private let space = SpaceName("main")!

/// Two inputs that alternate, so that each commit makes a change.
private let names = [Array(#"{"name":"Ada"}"#.utf8), Array(#"{"name":"Grace"}"#.utf8)]

/// Saves a name in a space with ten streams over it that have one operator.
private func saves(_ operation: String?, isWatched: Bool) -> (Int) -> Void {
    let stores = Stores.inline(registry)
    let ids = operation == nil ? [] : (0..<10).map { "s\($0)" }
    for id in ids {
        let document = #"{"id":"\#(id)","source":{"view":"user.name"},"operators":[\#(operation ?? "")]}"#
        stores[0].perform(Call(feature: "streams", action: "put", input: Array(document.utf8)), in: space) { _ in }
    }
    let watch = stores[0].watch(isWatched ? ids.map { "streams.\($0)" } : [], in: space) { _ in }
    guard let save = registry.action(feature: "user", name: "save") else {
        preconditionFailure("there is no such action")
    }
    return { number in
        withExtendedLifetime(watch) {
            stores[0].perform(Call(save, input: names[number & 1]), in: space) { _ in }
        }
    }
}

private let scan = #"{"scan":{"initialValue":0,"expression":"accumulated + 1"}}"#
private let map = #"{"map":{"expression":"value == null ? 0 : size(value) + 1"}}"#

/// Views that remember, compared with plain views that are watched.
let rememberingComparisons = MeasurementGroup(
    name: "remembering",
    comparisons: [
        Comparison(
            name: "an action with ten remembering views compared with ten plain ones that are watched", allowed: 1.5,
            operations: 5_000, ours: { saves(scan, isWatched: false) }, limit: { saves(map, isWatched: true) }),
        Comparison(
            name: "the same with the remembering views watched", allowed: nil, operations: 5_000,
            ours: { saves(scan, isWatched: true) }, limit: { saves(map, isWatched: true) }),
    ])
