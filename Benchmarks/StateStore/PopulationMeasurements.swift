import Foundation
import Reactive
import SQLiteJournal
import ServerReads
import StateStore
import Systems

private let views = ["user.name", "cart.totalPrice"]

private func name(_ number: Int) -> SpaceName { SpaceName("customer-\(number)")! }

/// A data directory of `count` spaces, each with one action performed through a store.
private final class PopulatedStore: Sendable {
    let count: Int
    /// The growth of resident memory during these actions, in MB.
    let growth: Double
    private let scratch = Scratch()

    init(_ count: Int) {
        self.count = count
        let before = Self.resident
        let (journal, stores) = Self.open(scratch.path)
        for number in 0..<count {
            let call = Call(feature: "user", action: "save", input: Array(#"{"name":"Customer \#(number)"}"#.utf8))
            stores[0].perform(call, in: name(number)) { result in _ = sure { try result.get() } }
        }
        growth = Self.resident - before
        journal.close()
    }

    /// Opens a journal and the stores on it, as a server does.
    private static func open(_ path: String) -> (SQLiteJournal, Stores) {
        let journal = sure { try SQLiteJournal(directory: path, durability: .none) }
        return (journal, .inline(sure { try Registry(systems()) }, journal))
    }

    /// The resident memory of the process, in MB.
    private static var resident: Double {
        let sizes = sure { try String(contentsOfFile: "/proc/self/statm", encoding: .utf8) }.split(separator: " ")
        let pages = sizes.count > 1 ? Int(sizes[1]) ?? 0 : 0
        return Double(pages * sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
    }

    /// Returns an operation that starts and closes the stores of a server.
    func starts() -> (Int) -> Void {
        { [self] _ in Self.open(scratch.path).0.close() }
    }

    /// Returns an operation that reads two views of one space after another, scattered among all.
    func answers() -> (Int) -> Void {
        let (journal, stores) = Self.open(scratch.path)
        return { [count] number in
            withExtendedLifetime(journal) {
                var isAnswered = false
                stores[0].read(views, in: name(number &* 7_777_777 % count)) { result in
                    isAnswered = sure { try result.get() }.moment.version == 1
                }
                guard isAnswered else { preconditionFailure("a space is missing") }
            }
        }
    }
}

private let thousand = PopulatedStore(1_000)
private let million = PopulatedStore(1_000_000)

/// A store on SQLite with a million spaces. Preparation takes minutes, so it runs only when requested by name.
let inhabitedMeasurements = MeasurementGroup(
    name: "inhabited",
    comparisons: [
        Comparison(
            name: "starting a store on a million spaces compared with a thousand", allowed: 2, operations: 5,
            ours: { million.starts() },
            limit: { thousand.starts() }),
        Comparison(
            name: "the answer of a cold space of a million compared with one that is loaded", allowed: nil,
            operations: 2_000,
            ours: { million.answers() }, limit: { thousand.answers() }),
    ],
    bounds: [
        Bound(
            name: "the answer of a cold space of a million", allowed: 1_000_000, operations: 2_000,
            operation: { million.answers() })
    ],
    figures: [
        Figure(name: "memory after an action in each of a million spaces", unit: "MB", allowed: 256) { million.growth }
    ])
