import Foundation
@testable import SQLiteJournal
import StateStore
import Testing

/// The queries of docs/journal.md.
@Suite struct JournalPageTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("docs/journal.md")

    /// The statements of the page.
    private func queries() throws -> [String] {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        return text.components(separatedBy: "```sql\n").dropFirst().flatMap { block in
            block.components(separatedBy: "```")[0].components(separatedBy: ";")
                .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
        }
    }

    private func rows(_ sql: String, _ connection: DatabaseConnection, columns: Int32) throws -> [String] {
        let statement = try Statement(connection, sql)
        var rows: [String] = []
        while try statement.step() {
            rows.append((0..<columns).map { statement.isNull($0) ? "-" : statement.text($0) }.joined(separator: " "))
        }
        return rows
    }

    @Test func `the queries of the page read the journal`() throws {
        let scratch = try Scratch()
        let journal = try SQLiteJournal(directory: scratch.directory())
        func commit(_ version: Int, _ facts: [Fact], of space: SpaceName = .main) -> CommitRecord {
            CommitRecord(
                space: space, version: version, at: Timestamp(microseconds: Int64(version)), action: "a/b", input: nil,
                facts: facts, common: 3, by: "ada", alarm: Timestamp(microseconds: 5_000_000))
        }
        let other = try #require(SpaceName("other"))
        _ = try journal.append([commit(1, [Fact(variable: "b.t", entry: "k", value: Array("0".utf8))], of: other)])
        _ = try journal.append(
            (1...100).map { version in
                commit(
                    version,
                    [
                        Fact(variable: "a.x", value: Array("\(version)".utf8)),
                        Fact(variable: "b.t", entry: "k\(version % 20)", value: Array("\(version)".utf8)),
                    ])
            })
        _ = try journal.forget(other)
        _ = try journal.load(.main)
        try journal.settle()
        let connection = try scratch.inspected()
        let queries = try queries()
        #expect(queries.count == 6)
        let commits = try rows(queries[0], connection, columns: 7)
        #expect(commits.count == 100)
        #expect(
            commits[16] == #"17 3 1970-01-01T00:00:00.000Z ada a/b - {"a.x":17,"b.t":{"k17":17}}"#, "\(commits[16])")
        #expect(try rows(queries[1], connection, columns: 4).first == "a.x - 100 100")
        #expect(try rows(queries[2], connection, columns: 5).contains("b.t \"k17\" 17 17 37"))
        let state = try rows(queries[3], connection, columns: 3)
        #expect(state.count == 18)
        #expect(state.first == "a.x - 17" && state.contains(#"b.t "k17" 17"#))
        #expect(try rows(queries[4], connection, columns: 2) == ["main 1970-01-01T00:00:05.000Z"])
        #expect(
            try rows(queries[5], connection, columns: 5) == ["2 main 1 100 commits", "3 other - - forgotten"])
    }

    @Test func `the page describes every table, every view and the number of the schema`() throws {
        let scratch = try Scratch()
        try SQLiteJournal(directory: scratch.directory()).close()
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let names = try rows(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')",
            DatabaseConnection(scratch.database(), .reading), columns: 1)
        #expect(names.count == 15)
        for name in names { #expect(text.contains("`\(name)`") || text.contains("FROM \(name) "), "\(name)") }
        #expect(text.contains("schema: \(Schema.steps.count)."))
    }
}
