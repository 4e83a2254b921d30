import Hosting
import Foundation
import JSON
import StateStore
import Testing

@testable import Documents

/// The documents of `Examples/documents`, and those of `docs/features.md`.
struct ExampleTests {
    private static var root: URL {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        return root
    }

    @Test(arguments: ["shop", "board", "auction", "booking", "tracker", "poll"])
    func `the tests of each example pass`(_ name: String) throws {
        let directory = try DocumentDirectory(Self.root.appending(path: "Examples/documents/\(name)").path)
        let report = DirectoryReport(directory, beside: try Registry([]), runsTests: true)
        #expect(report.isGood, "\(report.text)")
        #expect(!report.text.contains("SKIP"))
    }

    @Test func `a directory without documents is no directory of documents`() throws {
        #expect(throws: DocumentDirectory.UnreadableDirectory.self) {
            try DocumentDirectory(Self.root.appending(path: "Scripts").path)
        }
        #expect(throws: DocumentDirectory.UnreadableDirectory.self) { try DocumentDirectory("/nowhere/at/all") }
    }

    @Test func `each document of the documentation is good`() throws {
        let text = try String(contentsOf: Self.root.appending(path: "docs/features.md"), encoding: .utf8)
        var count = 0
        for part in text.components(separatedBy: "```json\n").dropFirst() {
            let block = part.components(separatedBy: "```")[0]
            guard block.contains("\"feature\"") else { continue }
            count += 1
            let json = try parse(block)
            #expect(faults(json) == [], "\(block)")
            guard case .string(let name)? = json["feature"] else { continue }
            let features = try compile([name: json])
            let tests = FeatureCompiler().test(features, of: name, beside: try Registry([])) { true }
            #expect(tests.failed.map(\.detail) == [])
        }
        #expect(count >= 3)
    }

    @Test func `the documentation lists all members and limits`() throws {
        let text = try String(contentsOf: Self.root.appending(path: "docs/features.md"), encoding: .utf8)
        for part in Keywords.all {
            let names = part.names.map { "`\($0)`" }.joined(separator: ", ")
            #expect(text.contains("| \(part.part) | \(names) |"), "| \(part.part) | \(names) |")
        }
        let limits = [
            ("bytes", DocumentLimits.bytes), ("nameLength", DocumentLimits.nameLength), ("types", DocumentLimits.types),
            ("state", DocumentLimits.state), ("given", DocumentLimits.given), ("indexes", DocumentLimits.indexes),
            ("groupKeys", DocumentLimits.groupKeys),
            ("definitions", DocumentLimits.definitions), ("calledSteps", DocumentLimits.calledSteps),
            ("actions", DocumentLimits.actions),
            ("views", DocumentLimits.views), ("pipelines", DocumentLimits.pipelines),
            ("parameters", DocumentLimits.parameters), ("schedules", DocumentLimits.schedules),
            ("periodInSpaces", DocumentLimits.periodInSpaces), ("lets", DocumentLimits.lets),
            ("guards", DocumentLimits.guards),
            ("actionSteps", DocumentLimits.actionSteps), ("stepNesting", DocumentLimits.stepNesting),
            ("sortKeys", DocumentLimits.sortKeys), ("joins", DocumentLimits.joins), ("rows", DocumentLimits.rows),
            ("tests", DocumentLimits.tests), ("testSteps", DocumentLimits.testSteps),
            ("afterSeconds", DocumentLimits.afterSeconds), ("expressions", DocumentLimits.expressions),
            ("faults", DocumentLimits.faults), ("rounds", DocumentLimits.rounds), ("steps", DocumentLimits.steps),
            ("stepsOfWrite", DocumentLimits.stepsOfWrite),
            ("writtenBytes", DocumentLimits.writtenBytes),
        ]
        for (name, value) in limits { #expect(text.contains("| `\(name)` | \(value) |"), "| `\(name)` | \(value) |") }
    }
}
