import JSON
import StateStore

/// The features of a server: those of its program, and the documents.
struct FeatureList {
    private let registry: Registry
    private let index: Index
    private let documents: DeployedDocuments
    private let seesDocuments: Bool
    private let tag: (_ content: [UInt8], _ name: String) -> String

    /// A list in which each feature has the tag that `tag` returns for its content. The tag of a document depends on
    /// its text, with initial values that may be secret, only for a reader who sees documents.
    init(
        _ registry: Registry, _ documents: DeployedDocuments, seesDocuments: Bool,
        tag: @escaping (_ content: [UInt8], _ name: String) -> String
    ) {
        (self.registry, self.documents, self.seesDocuments, self.tag) = (registry, documents, seesDocuments, tag)
        index = Index(of: registry)
    }

    /// The features of the program in the order of their registration, then the documents in that of their names.
    var json: JSON {
        let ofProgram = registry.namesOfProgram.filter { !ReservedNames.internalFeatures.contains($0.name) }
        var entries = ofProgram.map { entry($0.name, "swift", home: $0.scope == .common ? "common" : "space") }
        for (name, document) in documents.documents.sorted(by: { $0.key < $1.key }) {
            entries.append(entry(name, "document", home: document["home"] == "common" ? "common" : "space"))
        }
        return ["features": .array(entries)]
    }

    private func entry(_ name: String, _ form: String, home: String) -> JSON {
        let isOpen = seesDocuments || documents[name] == nil
        let content = isOpen ? content(of: name) ?? [] : Array("\(documents.edition(of: name))".utf8)
        return [
            "name": .string(name), "form": .string(form), "home": .string(home), "etag": .string(tag(content, name)),
        ]
    }

    /// The document of a feature, or the description of one of the program; nil if there is none.
    func content(of name: String) -> [UInt8]? {
        if let document = documents[name] { return document.written }
        guard !ReservedNames.internalFeatures.contains(name),
            let scope = registry.namesOfProgram.first(where: { $0.name == name })?.scope,
            case .object(var description) = index.feature(name)
        else { return nil }
        description["form"] = "swift"
        description["home"] = .string(scope == .common ? "common" : "space")
        return JSON.object(description).written
    }
}
