package import JSON

/// A fault of a document.
package struct DocumentFault: Error, Hashable, Sendable {
    /// The place in the document.
    package let pointer: JSONPointer
    /// The fault and its remedy.
    package let detail: String
    /// The allowed names or values, if they can be listed.
    package let allowed: [String]
    /// The offset in the text, for a fault of the JSON itself.
    package let offset: Int?

    package init(_ detail: String, at pointer: JSONPointer, allowed: [String] = [], offset: Int? = nil) {
        (self.detail, self.pointer, self.allowed, self.offset) = (detail, pointer, allowed, offset)
    }
}

/// All faults of a document.
package struct DocumentFaults: Error, Hashable, Sendable {
    /// The faults, in the order of their places.
    package let all: [DocumentFault]

    package init(_ all: [DocumentFault]) {
        self.all = all
    }
}

/// The parts that a later document of a feature made private.
package struct LaterPrivacy: Hashable, Sendable {
    /// The parts of values, or of each row, by variable.
    package var state: [String: PrivateParts] = [:]
    /// The parts of inputs, by action.
    package var inputs: [String: PrivateParts] = [:]

    /// No parts.
    package init() {}

    /// The parts of both.
    package func union(_ other: LaterPrivacy) -> LaterPrivacy {
        var all = self
        all.state.merge(other.state) { $0.union($1) }
        all.inputs.merge(other.inputs) { $0.union($1) }
        return all
    }
}

/// Compiles documents to descriptions of features.
package protocol DocumentCompiler: Sendable {
    /// Compiles documents that are to be there together, by their names, beside the other features. A document may be
    /// given another one of them. Each result is the description, or all faults of that document. The parts in `hiding`,
    /// by feature, are private beside those that the documents call so.
    func compile(
        _ documents: [String: JSON], beside others: [String: FeatureSummary], hiding: [String: LaterPrivacy]
    ) -> [String: Result<any FeatureDescription, DocumentFaults>]

    /// Runs the tests of a compiled document in virtual time, beside the other features. Returns the faults of the
    /// steps that failed. The number of rounds is bounded; `goesOn` returns false when the run has to stop.
    func test(
        _ documents: [String: any FeatureDescription], of name: String, beside others: Registry,
        goesOn: @Sendable () -> Bool
    ) -> DocumentTests
}

/// The outcome of a document's tests.
package struct DocumentTests: Sendable {
    /// A test that failed.
    package struct FailedTest: Sendable {
        /// The step, as a pointer into the document.
        package let pointer: JSONPointer
        /// The name of the test.
        package let name: String
        /// The reason.
        package let detail: String

        package init(_ name: String, _ detail: String, at pointer: JSONPointer) {
            (self.name, self.detail, self.pointer) = (name, detail, pointer)
        }
    }

    /// The number of tests that passed.
    package let passed: Int
    /// The tests that failed, each with its first failure.
    package let failed: [FailedTest]
    /// The limit that the run exceeded; nil for none.
    package let excess: String?

    package init(passed: Int, failed: [FailedTest] = [], excess: String? = nil) {
        (self.passed, self.failed, self.excess) = (passed, failed, excess)
    }
}

extension DocumentCompiler {
    /// Compiles documents of the present.
    package func compile(
        _ documents: [String: JSON], beside others: [String: FeatureSummary]
    ) -> [String: Result<any FeatureDescription, DocumentFaults>] {
        compile(documents, beside: others, hiding: [:])
    }

    /// No tests.
    package func test(
        _ documents: [String: any FeatureDescription], of name: String, beside others: Registry,
        goesOn: @Sendable () -> Bool
    ) -> DocumentTests {
        DocumentTests(passed: 0)
    }
}
