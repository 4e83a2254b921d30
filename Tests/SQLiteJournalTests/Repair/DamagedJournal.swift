import Foundation
@testable import SQLiteJournal
import StateStore

/// A journal with content in every table, the truth of each of its versions, and a backup of an earlier moment.
final class DamagedJournal {
    static let history = 60
    /// Each version of this number is compared, and the last five.
    static let step = 4
    static let spaces = ["a", "b", "c"].compactMap { SpaceName($0) }

    let scratch: Scratch
    /// The state of each version of each space.
    private(set) var truth: [SpaceName: [Truth]] = [:]
    /// The version of each space in the backup.
    private(set) var backedUp: [SpaceName: Int] = [:]

    init(seed: UInt64) throws {
        scratch = try Scratch()
        var random = SplitMix64(seed: seed)
        for space in Self.spaces { truth[space] = [try Truth()] }
        try work(&random, commits: 110, in: "data", settles: true)
        _ = try SQLiteJournal.backup(scratch.directory(), to: scratch.directory("backup"))
        for space in Self.spaces { backedUp[space] = (truth[space]?.count ?? 1) - 1 }
        try work(&random, commits: 20, in: "data", settles: true)
        try work(&random, commits: 12, in: "data", settles: false)
    }

    private func work(_ random: inout SplitMix64, commits: Int, in name: String, settles: Bool) throws {
        let journal = try SQLiteJournal(directory: scratch.directory(name), history: Self.history)
        for number in 0..<commits {
            for space in Self.spaces {
                var versions = truth[space] ?? []
                let version = versions.count
                var facts = RandomFacts.make(using: &random)
                // A row that lies on several pages.
                if number % 30 == 7 {
                    facts.removeAll { $0.variable == "a.other" }
                    facts.append(
                        Fact(variable: "a.other", value: Array("\"\(String(repeating: "o", count: 9_000))\"".utf8)))
                }
                var state = versions[version - 1]
                for fact in facts { try state.take(fact) }
                versions.append(state)
                truth[space] = versions
                let key = version % 4 == 0 ? Idempotency(key: "k\(version)", fingerprint: UInt64(version)) : nil
                _ = try journal.append([
                    CommitRecord(
                        space: space, version: version, at: Timestamp(microseconds: Int64(version) * 1_000_000_000),
                        action: "a/do", input: Array("{\"n\":\(version)}".utf8), facts: Facts(facts), idempotency: key,
                        leavesWork: space.description == "b", alarm: Timestamp(microseconds: 4_000_000_000_000_000))
                ])
            }
        }
        if settles {
            for space in Self.spaces { _ = try journal.load(space) }
            try journal.settle()
        }
        if let failure = journal.close() { throw failure }
    }

    /// Copies the data to a new directory, in which `body` damages the file.
    func damaged(_ name: String, _ body: (inout [UInt8]) throws -> Void) throws {
        try remove(name)
        try FileManager.default.copyItem(atPath: scratch.directory(), toPath: scratch.directory(name))
        let file = URL(fileURLWithPath: scratch.database(name))
        var bytes = Array(try Data(contentsOf: file))
        try body(&bytes)
        try Data(bytes).write(to: file)
    }

    func remove(_ name: String) throws {
        if FileManager.default.fileExists(atPath: scratch.directory(name)) {
            try FileManager.default.removeItem(atPath: scratch.directory(name))
        }
    }

    /// What a repaired journal has of a space.
    struct Saved {
        var newest: Truth?
        var version = 0
        /// The versions whose state differs from the truth, of those that can be read.
        var wrong: [Int] = []
        var readable = 0
        var keys: Set<String> = []
    }

    /// Compares a repaired journal with the truth.
    func saved(_ name: String) throws -> [SpaceName: Saved] {
        let journal = try SQLiteJournal(directory: scratch.directory(name), history: Self.history)
        defer { journal.close() }
        var all: [SpaceName: Saved] = [:]
        for space in Self.spaces {
            guard let stored = try journal.load(space) else { continue }
            var saved = Saved(newest: try Truth(stored.facts), version: stored.version)
            let states = truth[space] ?? []
            let chosen = Set(stride(from: 0, to: states.count, by: Self.step)).union(states.indices.suffix(5))
            for version in chosen.sorted() {
                let state = states[version]
                guard case .state(let past, _) = try journal.load(space, at: version) else { continue }
                saved.readable += 1
                if try Truth(past.facts) != state { saved.wrong.append(version) }
                if try journal.answer(space, key: "k\(version)", since: Timestamp(microseconds: 0)) != nil {
                    saved.keys.insert("k\(version)")
                }
            }
            all[space] = saved
        }
        return all
    }
}
