import JSON
import StateStore

/// A server that takes no documents.
struct NoDocuments: DocumentCompiler {
    func compile(
        _ documents: [String: JSON], beside others: [FeatureSummary]
    ) -> [String: Result<any FeatureDescription, DocumentFaults>] {
        documents.mapValues { _ in
            .failure(DocumentFaults([DocumentFault("this server takes no documents", at: JSONPointer())]))
        }
    }
}
