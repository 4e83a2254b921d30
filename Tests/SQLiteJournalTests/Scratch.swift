import Foundation
@testable import SQLiteJournal
import StateStore

/// A directory that is removed after the test.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("headwater-" + UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch { print("\(path) is left behind: \(error)") }
    }

    /// A directory in it.
    func directory(_ name: String = "data") -> String { path + "/" + name }

    static func size(_ path: String) throws -> Int {
        (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    func database(_ name: String = "data") -> String { directory(name) + "/journal.sqlite" }

    /// The database, read like a person does with a shell.
    func inspected() throws -> DatabaseConnection {
        let connection = try DatabaseConnection(database(), .reading)
        try connection.execute("PRAGMA trusted_schema = ON")
        return connection
    }
}

extension SpaceName {
    static let main = SpaceName("main") ?? .common
}

extension CommitRecord {
    /// A commit of a counter.
    static func counting(_ version: Int, of space: SpaceName = .main, key: String? = nil, at: Int64 = 0) -> CommitRecord
    {
        CommitRecord(
            space: space, version: version, at: Timestamp(microseconds: at), action: "counter/add", input: nil,
            facts: [Fact(variable: "counter.count", value: Array("\(version)".utf8))],
            idempotency: key.map { Idempotency(key: $0, fingerprint: 7) })
    }
}

extension SQLiteJournal {
    /// Appends further commits of the counter, 100 at a time.
    func count(_ versions: ClosedRange<Int>, of space: SpaceName = .main) throws {
        for start in stride(from: versions.lowerBound, through: versions.upperBound, by: 100) {
            _ = try append((start...min(start + 99, versions.upperBound)).map { .counting($0, of: space) })
        }
    }
}
