import Foundation
import SQLiteJournal
import StateStore

private let input = Array(#"{"productId":1234,"quantity":3}"#.utf8)
private let order = Array(#"{"name":"Sky Casual guitar","quantity":3,"price":2350.5}"#.utf8)
private let facts = [Fact(variable: "cart.orders", entry: "1234", value: order)]

private func record(_ version: Int, of space: SpaceName) -> CommitRecord {
    CommitRecord(
        space: space, version: version, at: Timestamp(microseconds: 1_700_000_000_000_000), action: "cart/add",
        input: input, facts: facts)
}

private func name(_ number: Int) -> SpaceName { SpaceName("customer-\(number)")! }

/// Appends durable batches of `batch` commits to `spaces` spaces in turn. The commits are created beforehand, because
/// that is the store's work.
private func appends(_ batch: Int, spaces: Int, operations: Int) -> (Int) -> Void {
    let scratch = Scratch()
    let journal = sure { try SQLiteJournal(directory: scratch.path) }
    let names = (0..<spaces).map(name)
    let batches = (0..<(Comparison.rounds + 2) * operations).map { number in
        (0..<batch).map { record(number * (batch / spaces) + $0 / spaces + 1, of: names[$0 % spaces]) }
    }
    var next = 0
    return { _ in
        guard sure({ try journal.append(batches[next]) }).last == .kept else {
            preconditionFailure("a commit was not persisted")
        }
        next += 1
        withExtendedLifetime(scratch) {}
    }
}

private func inserts(_ batch: Int, spaces: Int) -> (Int) -> Void {
    let scratch = Scratch()
    let database = BareSQLite(scratch.path + "/bare.sqlite", spaces: spaces)
    let changed = Array(#"{"cart.orders":{"1234":\#(String(decoding: order, as: UTF8.self))}}"#.utf8)
    let partial = Array(#"["cart.orders"]"#.utf8)
    return { _ in
        database.append(batch, input: input, changed: changed, partial: partial)
        withExtendedLifetime(scratch) {}
    }
}

private func appending(_ batch: Int, spaces: Int) -> Comparison {
    let operations = max(1, 10_000 / batch)
    return Comparison(
        name: "\(batch) durable commits of \(spaces) spaces compared with a bare loop", allowed: 1 / 0.7,
        operations: operations,
        ours: { appends(batch, spaces: spaces, operations: operations) }, limit: { inserts(batch, spaces: spaces) })
}

/// A closed journal of `count` spaces with one commit each, created once.
private final class PopulatedJournal: Sendable {
    let count: Int
    private let scratch = Scratch()

    init(_ count: Int) {
        self.count = count
        let journal = sure { try SQLiteJournal(directory: scratch.path, durability: .none) }
        for start in stride(from: 0, to: count, by: 10_000) {
            let commits = (start..<min(start + 10_000, count)).map { record(1, of: name($0)) }
            _ = sure { try journal.append(commits) }
        }
        journal.close()
    }

    /// Returns an operation that opens and closes the journal.
    func opens() -> (Int) -> Void {
        { [self] _ in
            let journal = sure { try SQLiteJournal(directory: scratch.path) }
            journal.close()
        }
    }

    /// Returns an operation that loads one space after another, scattered among all.
    func loads() -> (Int) -> Void {
        let journal = sure { try SQLiteJournal(directory: scratch.path) }
        return { [count] number in
            guard sure({ try journal.load(name(number &* 7_777_777 % count)) }) != nil else {
                preconditionFailure("a space is missing")
            }
        }
    }
}

private let thousand = PopulatedJournal(1_000)
private let million = PopulatedJournal(1_000_000)

/// The size of a closed journal of 10,000 commits of a space, with its whole past.
private func sizeOfHistory() -> Double {
    let scratch = Scratch()
    let journal = sure { try SQLiteJournal(directory: scratch.path, durability: .none) }
    for start in stride(from: 1, to: 10_000, by: 100) {
        _ = sure { try journal.append((start..<start + 100).map { record($0, of: name(1)) }) }
        sure { try journal.settle() }
    }
    _ = sure { try journal.load(name(1)) }
    sure { try journal.settle() }
    journal.close()
    let file = URL(fileURLWithPath: scratch.path + "/journal.sqlite")
    return Double(sure { try Data(contentsOf: file, options: .alwaysMapped) }.count) / 1_000
}

/// The wall-clock time of a commit that is on the disk before the next one, in microseconds.
private func durableCommit() -> Double {
    let scratch = Scratch()
    let journal = sure { try SQLiteJournal(directory: scratch.path, durability: .commit) }
    let count = 500
    let start = ContinuousClock.now
    for version in 1...count { _ = sure { try journal.append([record(version, of: name(1))]) } }
    let time = ContinuousClock.now - start
    journal.close()
    return time / .microseconds(1) / Double(count)
}

/// The journal compared with SQLite alone.
let journalComparisons = MeasurementGroup(
    name: "journal",
    comparisons: [
        appending(1_000, spaces: 1), appending(1_000, spaces: 1_000), appending(100, spaces: 1),
        appending(100, spaces: 100),
    ],
    figures: [
        Figure(name: "a journal of 10,000 commits of a space", unit: "kB", allowed: 4_000) { sizeOfHistory() },
        Figure(name: "a durable commit after another, wall-clock time", unit: "us", allowed: 20_000) {
            durableCommit()
        },
    ])

/// A journal of a million spaces compared with one of a thousand. Preparation takes half a minute, so it runs only when
/// requested by name.
let populationComparisons = MeasurementGroup(
    name: "population",
    comparisons: [
        Comparison(
            name: "opening a million spaces compared with a thousand", allowed: 2, operations: 5,
            ours: { million.opens() },
            limit: { thousand.opens() }),
        Comparison(
            name: "a cold space of a million compared with one of a thousand", allowed: 5, operations: 2_000,
            ours: { million.loads() },
            limit: { thousand.loads() }),
    ],
    bounds: [
        Bound(name: "a cold space of a million", allowed: 1_000_000, operations: 2_000, operation: { million.loads() })
    ])
