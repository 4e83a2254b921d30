@testable import SQLiteJournal
import StateStore
import Testing

@Suite struct ResultTests {
    @Test(arguments: [#"{"id":"a\"b","list":[1,2.50,null]}"#, "null", "[[[[]]]]", ""])
    func `the value that an action answered stays with the answer to its key`(_ result: String) throws {
        let scratch = try Scratch()
        let key = Idempotency(key: "k", fingerprint: 7)
        do {
            let journal = try SQLiteJournal(directory: scratch.directory())
            _ = try journal.append([
                CommitRecord(
                    space: .main, version: 1, at: Timestamp(microseconds: 5), action: "a/b", input: nil,
                    facts: [Fact(variable: "a.b", value: Array("1".utf8))], idempotency: key, result: Array(result.utf8)
                )
            ])
            _ = journal.close()
        }
        let journal = try SQLiteJournal(directory: scratch.directory())
        let answer = try #require(try journal.answer(.main, key: "k", since: Timestamp(microseconds: 0)))
        #expect(answer.result == Array(result.utf8) && answer.changed == ["a.b"] && answer.version == 1)
        #expect(try SQLiteJournal.check(scratch.directory()).isWhole)

        var lines: [[UInt8]] = []
        try SQLiteJournal.export(scratch.directory(), space: nil) { lines.append($0) }
        var rest = lines[...]
        try SQLiteJournal.import(into: scratch.directory("copy")) { rest.popFirst() }
        let copy = try SQLiteJournal(directory: scratch.directory("copy"))
        #expect(try copy.answer(.main, key: "k", since: Timestamp(microseconds: 0)) == answer)
    }
}
