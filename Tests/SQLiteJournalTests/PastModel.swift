@testable import SQLiteJournal
import StateStore
import Testing

/// The past of a space, computed by the simplest algorithm: every state and every change is kept.
struct PastModel {
    /// The states by version, from 0.
    private(set) var states: [Truth]
    private(set) var records: [CommitRecord] = []

    init() throws {
        states = [try Truth()]
    }

    mutating func take(_ batch: [CommitRecord]) throws {
        for record in batch {
            var state = states[states.count - 1]
            for fact in record.facts { try state.take(fact) }
            states.append(state)
            records.append(record)
            for (place, name) in Self.places.enumerated() {
                let isChanged = record.facts.contains { fact in
                    fact.variable == name.0 && (name.1 == nil || fact.entry == nil || fact.entry == name.1)
                }
                if isChanged { changes[place].append(record.version) }
            }
        }
    }

    /// The versions that changed each of `places`.
    private var changes = Array(repeating: [Int](), count: places.count)

    /// Compares every readable version of a journal with the model.
    func compare(_ journal: SQLiteJournal, history: Int, versions: StrideThrough<Int>) throws {
        let newest = records.count
        let oldest = max(0, newest - history)
        #expect(try journal.load(.main, at: newest + 1) == .future(newest: newest))
        for version in versions where version <= newest {
            let past = try journal.load(.main, at: version)
            guard version >= oldest else {
                #expect(past == .gone(oldest: oldest))
                continue
            }
            guard case .state(let space, let head) = past else {
                Issue.record("version \(version) is \(past)")
                continue
            }
            #expect(space.version == version)
            #expect(try Truth(space.facts) == states[version], "version \(version)")
            #expect(head == (version == 0 ? nil : records[version - 1].head))
            for (place, (variable, entry)) in Self.places.enumerated() {
                let expected = changes[place].last { $0 <= version }.flatMap { $0 > oldest ? $0 : nil }
                let found = try journal.lastChange(of: variable, entry: entry, in: .main, upTo: version)
                #expect(found == expected.map { records[$0 - 1].head }, "\(variable) \(entry ?? "") at \(version)")
            }
        }
        let heads = try journal.heads(of: .main, after: 0, limit: .max)
        #expect(heads == records.suffix(newest - oldest).map(\.head))
    }

    private static let places: [(String, String?)] = [
        ("a.value", nil), ("b.table", nil), ("b.rows", nil), ("b.table", "k3"), ("b.rows", "k9"), ("b.rows", "none"),
    ]
}
