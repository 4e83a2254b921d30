import Foundation
import Reactive
import SQLiteJournal
import StateStore
import Systems

/// The only thread there is.
private final class OneHome: Home, @unchecked Sendable {
    // Sendable because there is but one thread.
    let scheduler: any Scheduler = VirtualScheduler()

    func post(_ job: @escaping @Sendable () -> Void) {
        job()
    }
}

private let views = ["user.name", "cart.totalPrice"]

private func name(_ number: Int) -> SpaceName { SpaceName("customer-\(number)")! }

/// A data directory of so many spaces, each of which somebody has acted in once, through a store.
private final class Inhabited: Sendable {
    let count: Int
    /// The memory that the process had more than before when all had been acted in, in MB.
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

    /// Opens everything that a server has on it.
    private static func open(_ path: String) -> (SQLiteJournal, Stores) {
        let journal = sure { try SQLiteJournal(directory: path, durability: .none) }
        let stores = sure {
            try Stores(
                Registry(systems()), homes: [OneHome()], keeper: InlineKeeper(journal), seed: 1, clock: { Timestamp(microseconds: 0) })
        }
        return (journal, stores)
    }

    /// What the process has in memory, in MB.
    private static var resident: Double {
        let sizes = sure { try String(contentsOfFile: "/proc/self/statm", encoding: .utf8) }.split(separator: " ")
        let pages = sizes.count > 1 ? Int(sizes[1]) ?? 0 : 0
        return Double(pages * sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
    }

    /// Starts a server's store and ends it.
    func starts() -> (Int) -> Void {
        { [self] _ in Self.open(scratch.path).0.close() }
    }

    /// Asks one space after another, scattered among all, for two views.
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

private let thousand = Inhabited(1_000)
private let million = Inhabited(1_000_000)

/// A store on SQLite with very many spaces. Takes minutes to prepare, and so is measured only where it is asked for by name.
let inhabitedMeasurements = Group(
    name: "inhabited",
    comparisons: [
        Comparison(
            name: "starting a store on a million spaces, beside a thousand", allowed: 2, operations: 5, ours: { million.starts() },
            limit: { thousand.starts() }),
        Comparison(
            name: "the answer of a cold space of a million, beside one that is loaded", allowed: nil, operations: 2_000,
            ours: { million.answers() }, limit: { thousand.answers() }),
    ],
    bounds: [
        Bound(name: "the answer of a cold space of a million", allowed: 1_000_000, operations: 2_000, operation: { million.answers() })
    ],
    figures: [
        Figure(name: "memory after an action in each of a million spaces", unit: "MB", allowed: 256) { million.growth }
    ])
