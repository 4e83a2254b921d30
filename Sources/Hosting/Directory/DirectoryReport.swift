import Documents
import JSON
package import StateStore

/// The checks and tests of a directory's documents, in the Test Anything Protocol, version 14.
package struct DirectoryReport {
    private var lines: [String] = []
    /// True if all checks and tests passed.
    package private(set) var isGood = true
    private var count = 0

    /// Checks the documents of a directory, beside the features of a program, runs their tests if `runsTests`, and adds the
    /// ways to the rows that they read if `showsPlan`.
    package init(
        _ directory: DocumentDirectory, beside program: Registry, runsTests: Bool, showsPlan: Bool = false
    ) {
        let results = FeatureCompiler().compile(directory.documents, beside: program.summaries)
        var features: [String: any FeatureDescription] = [:]
        for (name, result) in results {
            if case .success(let feature) = result, feature.faultsWhenPut.isEmpty { features[name] = feature }
        }
        for file in directory.files {
            switch file.content {
            case .failure(let fault): fail("\(file.name)", [fault], in: file)
            case .success:
                switch results[file.feature] {
                case .failure(let faults)?: fail("\(file.name)", faults.all, in: file)
                case .success(let feature)? where !feature.faultsWhenPut.isEmpty:
                    fail("\(file.name)", feature.faultsWhenPut, in: file)
                case .success(let feature)?:
                    if !runsTests { pass("\(file.name)") }
                    if showsPlan { lines += feature.plan.map { "# \(Self.line("\(file.name): plan: \($0)"))" } }
                    lines += feature.warnings.map { "# \(Self.line("\(file.name): \($0.pointer): \($0.detail)"))" }
                case nil: break
                }
            }
        }
        guard runsTests else { return }
        for name in features.keys.sorted() {
            test(name, features, program, directory.files.first { $0.feature == name })
        }
    }

    /// The report as text, without a line break at the end.
    package var text: String { (["TAP version 14", "1..\(count)"] + lines).joined(separator: "\n") }

    private mutating func test(
        _ name: String, _ features: [String: any FeatureDescription], _ program: Registry,
        _ file: DocumentDirectory.DocumentFile?
    ) {
        let outcomes = FeatureCompiler().outcomes(features, of: name, beside: program) { true }
        if outcomes.isEmpty { return pass(name, skips: "the document has no tests") }
        for outcome in outcomes {
            guard let failure = outcome.failure else {
                pass("\(name): \(outcome.name)")
                continue
            }
            fail("\(name): \(outcome.name)", [DocumentFault(failure.detail, at: failure.pointer)], in: file)
        }
    }

    private mutating func pass(_ name: String, skips reason: String? = nil) {
        count += 1
        lines.append("ok \(count) - \(Self.line(name))" + (reason.map { " # SKIP \($0)" } ?? ""))
    }

    /// Adds a failure. Each fault has its place in the file, and the line itself.
    private mutating func fail(
        _ name: String, _ faults: [DocumentFault], in file: DocumentDirectory.DocumentFile?
    ) {
        count += 1
        isGood = false
        lines.append("not ok \(count) - \(Self.line(name))")
        lines.append("  ---")
        let places = file?.places(of: faults) ?? []
        for (index, fault) in faults.enumerated() {
            lines.append("  - pointer: \(JSON.string("\(fault.pointer)"))")
            lines.append("    detail: \(JSON.string(fault.detail))")
            if let file, index < places.count {
                lines.append("    file: \(JSON.string(file.name))")
                lines.append("    line: \(places[index].line)")
                lines.append("    column: \(places[index].column)")
                lines.append("    text: \(JSON.string(places[index].text))")
            }
            if !fault.allowed.isEmpty { lines.append("    allowed: \(JSON.array(fault.allowed.map { .string($0) }))") }
        }
        lines.append("  ...")
    }

    /// The text on one line. A number sign begins a directive, so one in a name is escaped.
    private static func line(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 }).replacing("\\", with: "\\\\").replacing("#", with: "\\#")
    }
}
