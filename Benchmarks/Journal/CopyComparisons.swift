import SQLiteJournal
import StateStore

private let input = Array(#"{"productId":1}"#.utf8)
private let value = Array(#"{"1":{"productId":1,"quantity":500}}"#.utf8)

/// The kind of keys that commits have.
private enum Keys {
    case none, nodes, clients

    /// Returns the key of a commit in an entry.
    func key(_ number: Int, in entry: Int) -> Idempotency? {
        let random = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
        let text: String? =
            switch self {
            case .none: nil
            case .nodes: NodeKey.text(after: entry - 1)
            case .clients: String(random, radix: 36)
            }
        return text.map { Idempotency(key: $0, fingerprint: random) }
    }
}

/// Applies entries of 100 commits of one space, one transaction each, as a node that follows a lane does.
private func entries(_ keys: Keys, operations: Int) -> (Int) -> Void {
    let scratch = Scratch()
    let copy = sure { try SQLiteJournal(directory: scratch.path, durability: .none) }
    let name = SpaceName("customer")!
    let batches = (0..<(Comparison.rounds + 2) * operations).map { batch in
        (0..<100).map { number in
            CommitRecord(
                space: name, version: batch * 100 + number + 1,
                at: Timestamp(microseconds: 1_700_000_000_000_000 + Int64(batch)), action: "cart/increment",
                input: input, facts: [Fact(variable: "cart.orders", entry: nil, value: value)],
                idempotency: keys.key(batch * 100 + number, in: batch + 1))
        }
    }
    var next = 0
    return { _ in
        sure {
            try copy.apply(
                [.commits(batches[next], at: LogPlace(lane: 3, number: next + 1))],
                rows: [CopyRow("lane 3", "\(next + 1) 8dc3be2ab1f0 8dc3be2ab1f0 1 A 6162")])
        }
        next += 1
        withExtendedLifetime(scratch) {}
    }
}

/// Applies a commit in each of 1,000 spaces, in entries of `size` commits.
private func wideEntries(of size: Int) -> (Int) -> Void {
    let scratch = Scratch()
    let copy = sure { try SQLiteJournal(directory: scratch.path, durability: .none) }
    let spaces = (0..<1_000).map { SpaceName("customer-\($0)")! }
    var (version, entry) = (0, 0)
    return { _ in
        version += 1
        for first in stride(from: 0, to: spaces.count, by: size) {
            entry += 1
            let commits = spaces[first..<(first + size)].map { space in
                CommitRecord(
                    space: space, version: version, at: Timestamp(microseconds: 1_700_000_000_000_000 + Int64(version)),
                    action: "cart/increment", input: input,
                    facts: [Fact(variable: "cart.orders", entry: nil, value: value)],
                    idempotency: Keys.nodes.key(version, in: entry))
            }
            sure {
                try copy.apply(
                    [.commits(commits, at: LogPlace(lane: 3, number: entry))],
                    rows: [CopyRow("lane 3", "\(entry) 8dc3be2ab1f0 8dc3be2ab1f0 1 A 6162")])
            }
        }
        withExtendedLifetime(scratch) {}
    }
}

/// The copy of a lane, as a node of a cluster writes it.
let copyMeasurements = MeasurementGroup(
    name: "copies",
    comparisons: [
        Comparison(
            name: "entries of 100 commits with the keys of nodes compared with those without", allowed: 2.5,
            operations: 100, ours: { entries(.nodes, operations: 100) }, limit: { entries(.none, operations: 100) }),
        Comparison(
            name: "entries of 100 commits with the keys of clients compared with those without", allowed: 10,
            operations: 100, ours: { entries(.clients, operations: 100) }, limit: { entries(.none, operations: 100) }),
        Comparison(
            name: "entries of commits of 1,000 spaces compared with entries of ten of them", allowed: 1, operations: 10,
            ours: { wideEntries(of: 1_000) }, limit: { wideEntries(of: 10) }),
    ],
    bounds: [
        Bound(name: "an entry of 100 commits", allowed: 600_000, operations: 100) { entries(.nodes, operations: 100) }
    ])
