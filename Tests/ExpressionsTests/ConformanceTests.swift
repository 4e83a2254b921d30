import Foundation
import JSON
import Testing

@testable import Expressions

/// The cases of the public conformance suite.
struct ConformanceTests {
    // Law F4
    @Test func `all cases of the conformance suite pass`() throws {
        let lines = try cases()
        #expect(lines.count == 1_562)
        for line in lines {
            let document = try JSON(parsing: Array(line.utf8))
            let report = try #require(Conformance(document), "this is no case: \(line)").report()
            if report["ok"] != true { Issue.record("case \(line): \(report)") }
        }
    }

    @Test func `the report of a failing case has the actual result`() throws {
        let wrong: JSON = ["file": "f", "section": "s", "name": "n", "expr": "1 + 1", "value": ["int": "3"]]
        #expect(
            Conformance(wrong)?.report() == [
                "file": "f", "section": "s", "name": "n", "ok": false, "got": ["int": "2"],
            ])
        let failing: JSON = ["file": "f", "section": "s", "name": "n", "expr": "1 / 0", "value": ["int": "3"]]
        #expect(
            Conformance(failing)?.report() == [
                "file": "f", "section": "s", "name": "n", "ok": false, "error": "division by zero",
            ])
        let succeeding: JSON = ["file": "f", "section": "s", "name": "n", "expr": "1", "error": true]
        #expect(
            Conformance(succeeding)?.report() == [
                "file": "f", "section": "s", "name": "n", "ok": false, "got": ["int": "1"],
            ])
    }

    @Test func `the expected result of a case includes types and the sign of zero`() {
        func holds(_ expression: String, _ value: JSON) -> Bool {
            Conformance(["file": "", "section": "", "name": "", "expr": .string(expression), "value": value])?.report()[
                "ok"] == true
        }
        #expect(holds("1", ["int": "1"]))
        #expect(!holds("1", ["uint": "1"]))
        #expect(!holds("0.0", ["double": "-0.0"]))
        #expect(holds("0.0 / 0.0", ["double": "NaN"]))
        #expect(holds("{1: 2, 3: 4}", ["map": [[["int": "3"], ["int": "4"]], [["int": "1"], ["int": "2"]]]]))
        #expect(!holds("{1: 2}", ["map": [[["uint": "1"], ["int": "2"]]]]))
    }

    private func cases() throws -> [Substring] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Cases/cases.jsonl")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    }
}
