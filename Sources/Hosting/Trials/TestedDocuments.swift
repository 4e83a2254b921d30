package import Documents
import JSON
import Platform
package import StateStore

/// The compiler of documents with tests, which run on stores of their own.
extension FeatureCompiler: DocumentCompiler {
    /// A compiler for this system.
    package init() {
        self.init(zones: SystemZones.read)
    }

    package func test(
        _ documents: [String: any FeatureDescription], of name: String, beside others: Registry,
        goesOn: @Sendable () -> Bool
    ) -> DocumentTests {
        let outcomes = outcomes(documents, of: name, beside: others, goesOn: goesOn)
        let tests = (documents[name] as? CompiledFeature)?.document.tests.count ?? 0
        let failed = outcomes.compactMap(\.failure)
        return DocumentTests(
            passed: outcomes.count - failed.count, failed: failed,
            excess: outcomes.count < tests || !goesOn() && tests > 0 ? "the tests of \(name) take too long" : nil)
    }

    /// Runs the tests of a document, and returns an outcome for each until `goesOn` is false.
    func outcomes(
        _ documents: [String: any FeatureDescription], of name: String, beside others: Registry,
        goesOn: @Sendable () -> Bool
    ) -> [TrialOutcome] {
        guard let feature = documents[name] as? CompiledFeature, !feature.document.tests.isEmpty else { return [] }
        let deployed = documents.values.map { DeployedFeature(($0 as? CompiledFeature)?.forTrials ?? $0) }
        do throws(RegistrationFault) {
            let registry = try others.describing(deployed)
            return withoutActuallyEscaping(goesOn) { DocumentTrial(feature, registry, while: $0).run() }
        } catch {
            let failure = DocumentTests.FailedTest("registration", error.description, at: JSONPointer())
            return [TrialOutcome(name: "registration", failure: failure)]
        }
    }
}
