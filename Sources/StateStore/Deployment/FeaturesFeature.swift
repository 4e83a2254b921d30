package import JSON
import Reactive

extension Feature {
    /// The documents of features, in `common`. Clients change them through paths of their own.
    package static func documents() -> Feature {
        var feature = Feature(DeployedDocuments.feature, in: .common, FeaturesState.init, FeaturesService.init) { _ in
            FeaturesViewModel()
        }.ofServer
        // Its commits have the documents, with the initial values of private members.
        feature.hidesCommits = true
        return feature
    }
}

/// The state of the feature `features`.
private struct FeaturesState {
    let documents = Table<String, JSON>()
}

/// No view: the documents have paths of their own.
private struct FeaturesViewModel: ViewModel {}

/// The actions of the feature `features`.
private struct FeaturesService: StateService {
    let put: InternalAction<DeploymentInput>
    let remove: InternalAction<DeploymentInput>
    let swept: InternalAction<DeploymentInput>

    init(_ features: FeaturesState) {
        let change = { (input: DeploymentInput, commit: inout Commit) throws(Rejection) in
            var documents = DeployedDocuments(commit.rows(of: features.documents))
            guard let change = DocumentChange(input.json), change.isUpToDate(with: documents) else {
                throw .conflict(DocumentChange.staleReason)
            }
            documents.change(
                change.documents, dropsState: change.dropsState, migrated: change.migrated, texts: change.texts)
            for name in change.documents.keys.sorted() { commit[features.documents, name] = documents.rows[name] }
        }
        put = InternalAction(reading: { DeploymentInput(json: $0) }, change)
        remove = InternalAction(reading: { DeploymentInput(json: $0) }, change)
        swept = InternalAction(reading: { DeploymentInput(json: $0) }) { input, commit in
            var documents = DeployedDocuments(commit.rows(of: features.documents))
            documents.noteSwept(input.json["swept"] ?? .null)
            for (name, row) in documents.rows { commit[features.documents, name] = row }
        }
    }
}

/// The input of the actions of `features`. Only the tree of a call has the editions that the caller has seen.
private struct DeploymentInput: Record {
    var json: JSON = [:]

    static let shape = Shape(DeploymentInput()) { _ in }
    static var schema: JSON { ["type": "object"] }

    init() {}

    init(json: JSON) {
        self.json = json
    }

    init(from reader: inout JSONReader) throws(JSONError) {
        json = try JSON(from: &reader)
    }

    func write(to writer: inout JSONWriter) {
        json.write(to: &writer)
    }
}

/// A change to the documents that `common` holds.
package struct DocumentChange: Sendable {
    /// The reason that a change is refused because the documents have changed since its check.
    package static let staleReason = "other documents have changed meanwhile: try again"

    /// The new documents by the names of their features; nil removes one.
    package let documents: [String: JSON?]
    /// True if the state of the removed features is dropped.
    package let dropsState: Bool
    /// The names of the variables that the documents compute from those of the documents before, by feature.
    package let migrated: [String: [String]]
    /// The texts of the documents that have comments, by feature.
    package let texts: [String: String]
    /// The documents with which the change was checked.
    private let editions: [String: Int]

    package init(
        _ documents: [String: JSON?], dropsState: Bool = false, migrated: [String: [String]] = [:],
        texts: [String: String] = [:], to present: DeployedDocuments
    ) {
        self.migrated = migrated
        self.texts = texts
        self.documents = documents
        self.dropsState = dropsState
        editions = Dictionary(
            uniqueKeysWithValues: present.rows.keys.map { ($0, present.edition(of: $0)) })
    }

    /// The names of the features.
    var names: [String] { documents.keys.sorted() }

    /// The documents that follow from others by the change.
    package func applied(to present: DeployedDocuments) -> DeployedDocuments {
        var documents = present
        documents.change(self.documents, dropsState: dropsState, migrated: migrated, texts: texts)
        return documents
    }

    init?(_ json: JSON) {
        guard case .object(let members)? = json["documents"], case .object(let seen)? = json["editions"] else {
            return nil
        }
        var documents: [String: JSON?] = [:]
        for member in members {
            documents.updateValue(member.value == .null ? Optional<JSON>.none : member.value, forKey: member.key)
        }
        self.documents = documents
        dropsState = json["dropsState"] == true
        var migrated: [String: [String]] = [:]
        if case .object(let features)? = json["migrated"] {
            for feature in features {
                guard case .array(let labels) = feature.value else { return nil }
                migrated[feature.key] = labels.compactMap { if case .string(let label) = $0 { label } else { nil } }
            }
        }
        self.migrated = migrated
        var texts: [String: String] = [:]
        if case .object(let members)? = json["texts"] {
            for member in members {
                if case .string(let text) = member.value { texts[member.key] = text }
            }
        }
        self.texts = texts
        var editions: [String: Int] = [:]
        for member in seen {
            guard case .number(let number) = member.value, let edition = number.int64 else { return nil }
            editions[member.key] = Int(edition)
        }
        self.editions = editions
    }

    /// Returns true if the documents are those with which the change was checked.
    func isUpToDate(with present: DeployedDocuments) -> Bool {
        editions == Dictionary(uniqueKeysWithValues: present.rows.keys.map { ($0, present.edition(of: $0)) })
    }

    /// The commit that makes the change, for stored content that no store uses; nil if it changes nothing.
    package func commit(to stored: StoredSpace?, at time: Timestamp) -> CommitRecord? {
        let old = DeployedDocuments(of: stored?.facts ?? [])
        var new = old
        new.change(documents, dropsState: dropsState, migrated: migrated, texts: texts)
        let facts = new.rows.keys.sorted().filter { new.rows[$0] != old.rows[$0] }.compactMap { name -> Fact? in
            guard let bytes = try? new.rows[name]?.json() else { return nil }
            return Fact(variable: DeployedDocuments.table, entry: name, value: bytes)
        }
        guard !facts.isEmpty else { return nil }
        let call = call(by: "")
        let version = (stored?.version ?? 0) + 1
        return CommitRecord(
            space: .common, version: version, at: time, action: call.id.name, input: call.input, facts: facts,
            common: version)
    }

    /// The call that makes the change. `common` records the documents.
    package func call(by subject: String) -> Call {
        var members = JSON.Object()
        for (name, document) in documents.sorted(by: { $0.key < $1.key }) { members[name] = document ?? .null }
        var input: JSON.Object = JSON.Object()
        input["documents"] = .object(members)
        if dropsState { input["dropsState"] = true }
        if !texts.isEmpty {
            var members = JSON.Object()
            for (name, text) in texts.sorted(by: { $0.key < $1.key }) { members[name] = .string(text) }
            input["texts"] = .object(members)
        }
        var tree = input
        var seen = JSON.Object()
        for (name, edition) in editions { seen[name] = .number(Decimal(edition)) }
        tree["editions"] = .object(seen)
        var labels = JSON.Object()
        for (name, all) in migrated { labels[name] = .array(all.map { .string($0) }) }
        tree["migrated"] = .object(labels)
        let isRemoval = documents.values.allSatisfy { $0 == nil }
        // A document was parsed, so it can be written.
        let bytes = (try? JSON.object(input).json()) ?? []
        return Call(
            feature: DeployedDocuments.feature, action: isRemoval ? "remove" : "put", input: bytes, by: subject
        ).with(tree: .object(tree)).byEffect
    }
}
