package import JSON

/// The documents that `common` holds: the rows of `features.documents`, by the names of the features.
///
/// A row is `{"document": …, "generation": 1, "edition": 4}`, with the `text` of a document that was put with comments. A feature that was removed keeps a row without a document,
/// so that a later feature of its name gets another generation, and other names for its state in facts. A variable that
/// the document no longer declares keeps its last declaration in `left`: its values wait for a document that declares
/// it again.
package struct DeployedDocuments: Hashable, Sendable {
    /// The feature that holds the documents, and its table.
    package static let feature = "features"
    package static let table = "features.documents"

    package private(set) var rows: [String: JSON] = [:]
    /// The documents by the names of their features.
    package private(set) var documents: [String: JSON] = [:]
    /// The features that were removed and had rules then. Their commits stay.
    private(set) var removedWithRules: Set<String> = []
    /// The features whose dropped state spaces may hold.
    private var unswept: Set<String> = []
    /// The features with documents that migrate their state.
    private(set) var migrating: Set<String> = []

    package init(_ rows: [String: JSON] = [:]) {
        for (name, row) in rows { set(row, of: name) }
    }

    private mutating func set(_ row: JSON?, of name: String) {
        rows[name] = row
        documents[name] = row?["document"]
        func note(_ isOne: Bool, in names: inout Set<String>) {
            if isOne { names.insert(name) } else { names.remove(name) }
        }
        note(row?["hadRules"] == true, in: &removedWithRules)
        note(row?["migrations"] != nil, in: &migrating)
        note(droppedGeneration(of: name) > sweptGeneration(of: name), in: &unswept)
    }

    package static func == (left: Self, right: Self) -> Bool { left.rows == right.rows }

    package func hash(into hasher: inout Hasher) { hasher.combine(rows) }

    /// The documents of stored facts. Documents that cannot be read are left out.
    package init(of facts: [Fact]) {
        _ = try? take(facts)
    }

    /// Takes the facts about documents. Returns false if there are none.
    @discardableResult
    mutating func take(_ facts: some Sequence<Fact>) throws(JSONError) -> Bool {
        var isChanged = false
        for fact in facts where fact.variable == Self.table {
            isChanged = true
            let value = try fact.value.map { bytes throws(JSONError) in try JSON(parsing: bytes) }
            if let entry = fact.entry {
                set(value, of: entry)
            } else {
                self = DeployedDocuments()
                if case .object(let whole)? = value { for row in whole { set(row.value, of: row.key) } }
            }
        }
        return isChanged
    }

    /// The document of a feature; nil for none.
    package subscript(name: String) -> JSON? { documents[name] }

    /// The text of a document that was put with comments; nil for one that was put as plain JSON, and for none.
    package func text(of name: String) -> String? {
        if case .string(let text)? = rows[name]?["text"] { text } else { nil }
    }

    /// The number of the feature among those of its name, of which each began with no state; from 1.
    package func generation(of name: String) -> Int { Self.number(rows[name]?["generation"]) ?? 1 }

    /// The number of times that a feature's document was put or removed.
    package func edition(of name: String) -> Int { Self.number(rows[name]?["edition"]) ?? 0 }

    /// A document that migrates state, with the one before.
    struct MigratingDocument {
        let edition: Int
        let labels: Set<String>
        let document: JSON
        let before: JSON
    }

    /// The documents that migrate the state of a feature, oldest first.
    func migrations(of name: String) -> [MigratingDocument] {
        guard case .array(let steps)? = rows[name]?["migrations"] else { return [] }
        return steps.compactMap { step in
            guard let edition = Self.number(step["edition"]), case .array(let labels)? = step["labels"],
                let document = step["document"], let before = step["before"]
            else { return nil }
            let names = labels.compactMap { if case .string(let label) = $0 { label } else { nil } }
            return MigratingDocument(edition: edition, labels: Set(names), document: document, before: before)
        }
    }

    /// The document of a feature that is there, or was when its state was left; nil for none.
    package func last(_ name: String) -> JSON? { self[name] ?? rows[name]?["was"] }

    /// The last declarations of the variables that a document does not declare any more, by name: each a document with
    /// this variable alone.
    package func left(_ name: String) -> [String: JSON] {
        guard case .object(let left)? = rows[name]?["left"] else { return [:] }
        return Dictionary(left.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// The declarations that are left when a document replaces the present one.
    private func left(_ name: String, after document: JSON) -> [String: JSON] {
        var left = left(name)
        if let before = last(name) {
            for label in Self.labels(of: before) { left[label] = Self.declaration(of: label, in: before) }
        }
        for label in Self.labels(of: document) { left[label] = nil }
        for label in Self.givenUp(by: document) { left[label] = nil }
        return left
    }

    /// The names of stored state that a document gives other names, makes rows of, or drops.
    package static func givenUp(by document: JSON) -> Set<String> {
        var names: Set<String> = []
        func add(_ name: JSON?) { if case .string(let name)? = name { names.insert(name) } }
        if case .array(let drops)? = document["drops"] { for drop in drops { add(drop) } }
        if case .object(let state)? = document["state"] {
            for part in state {
                add(part.value["was"])
                add(part.value["from"]?["table"])
            }
        }
        return names
    }

    /// The names of the variables and tables that spaces may have stored for a feature, and that a document leaves out.
    package func lost(_ name: String, by document: JSON) -> [String] {
        let stored = (last(name).map(Self.labels) ?? []) + left(name).keys.sorted()
        let kept = Self.givenUp(by: document).union(Self.labels(of: document))
        return stored.filter { !kept.contains($0) }
    }

    /// The name in facts of a variable of a feature.
    package func variable(_ label: String, of name: String) -> String {
        "\(name).\(label)" + (generation(of: name) > 1 ? "~\(generation(of: name))" : "")
    }

    /// Returns true if the last declaration of stored state is that of a table.
    package func isTable(_ label: String, _ name: String) -> Bool {
        (left(name)[label] ?? last(name) ?? .null)["state"]?[label]?["table"] != nil
    }

    /// The initial value of a stored variable, as its last declaration has it; nil for a table.
    package func initialValue(of label: String, _ name: String) -> JSON? {
        let declaration = left(name)[label] ?? last(name) ?? .null
        return declaration["state"]?[label]?["initial"]
    }

    private static func labels(of document: JSON) -> [String] {
        guard case .object(let state)? = document["state"] else { return [] }
        return state.map(\.key)
    }

    /// The part of a document that declares one variable.
    private static func declaration(of label: String, in document: JSON) -> JSON {
        var part = JSON.Object()
        for member in ["feature", "home", "types"] { part[member] = document[member] }
        var state = JSON.Object()
        state[label] = document["state"]?[label]
        part["state"] = .object(state)
        return .object(part)
    }

    // MARK: Dropped state

    /// True if spaces may hold dropped state.
    var hasDroppedState: Bool { !unswept.isEmpty }

    /// The newest generation of a feature whose state was dropped; 0 for none.
    private func droppedGeneration(of name: String) -> Int {
        generation(of: name) - (rows[name]?["isDropped"] == true ? 0 : 1)
    }

    /// The newest generation of a feature whose dropped state was removed from all spaces.
    private func sweptGeneration(of name: String) -> Int { Self.number(rows[name]?["swept"]) ?? 0 }

    /// Returns true if a variable of facts holds state, or memory, that was dropped.
    func isDropped(_ variable: String) -> Bool {
        guard !Fact.isLevel(variable) else { return false }
        let parts = variable.drop { $0 == "~" }.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, rows[String(parts[0])] != nil else { return false }
        let generation = parts[1].split(separator: "~", maxSplits: 1).dropFirst().first.flatMap { Int($0) } ?? 1
        return generation <= droppedGeneration(of: String(parts[0]))
    }

    /// The call that notes that no space holds the dropped state of these documents any more.
    var sweptCall: Call {
        var swept = JSON.Object()
        for name in unswept.sorted() {
            swept[name] = .number(Decimal(droppedGeneration(of: name)))
        }
        let input: JSON = ["swept": .object(swept)]
        return Call(feature: Self.feature, action: "swept", input: (try? input.json()) ?? []).byEffect
    }

    /// Notes that the dropped state of features was removed from all spaces, up to a generation of each.
    mutating func noteSwept(_ swept: JSON) {
        guard case .object(let generations) = swept else { return }
        for member in generations {
            guard case .object(var row)? = rows[member.key] else { continue }
            row["swept"] = member.value
            set(.object(row), of: member.key)
        }
    }

    private static func number(_ value: JSON?) -> Int? {
        guard case .number(let number)? = value else { return nil }
        return number.int64.map { Int($0) }
    }

    /// Puts documents, and removes those that are nil. The state of a removed feature is dropped or stays. `migrated` are
    /// the names of the variables that documents compute from those of the documents before. `texts` are those of the
    /// documents that have comments.
    mutating func change(
        _ documents: [String: JSON?], dropsState: Bool, migrated: [String: [String]] = [:],
        texts: [String: String] = [:]
    ) {
        for (name, document) in documents where self[name] == document && document != nil {
            guard case .object(var row)? = rows[name] else { continue }
            row["text"] = texts[name].map { .string($0) }
            set(.object(row), of: name)
        }
        for (name, document) in documents where self[name] != document {
            let isNew = self[name] == nil && rows[name]?["isDropped"] == true
            var row = JSON.Object()
            row["document"] = document
            row["text"] = texts[name].map { .string($0) }
            row["generation"] = .number(Decimal(generation(of: name) + (isNew ? 1 : 0)))
            let edition = JSON.number(Decimal(edition(of: name) + 1))
            row["edition"] = edition
            row["swept"] = rows[name]?["swept"]
            if document == nil, let was = self[name], Self.hasRules(was) { row["hadRules"] = true }
            if document == nil, dropsState {
                row["isDropped"] = true
            } else if !isNew {
                var steps: [JSON] = []
                if case .array(let known)? = rows[name]?["migrations"] { steps = known }
                if let document, let before = last(name), let labels = migrated[name] {
                    let left = left(name)
                    let present = labels.filter { left[$0] == nil }
                    if !present.isEmpty { steps.append(Self.step(edition, present, document, before)) }
                    for label in labels {
                        if let before = left[label] { steps.append(Self.step(edition, [label], document, before)) }
                    }
                }
                let remaining = document.map { left(name, after: $0) } ?? left(name)
                if !remaining.isEmpty {
                    var object = JSON.Object()
                    for label in remaining.keys.sorted() { object[label] = remaining[label] }
                    row["left"] = .object(object)
                }
                if !steps.isEmpty { row["migrations"] = .array(steps) }
                if document == nil, let was = last(name) { row["was"] = was }
            }
            set(.object(row), of: name)
        }
    }

    /// Returns true if a document has a rule: of the feature, of an action, or of a view.
    private static func hasRules(_ document: JSON) -> Bool {
        if document["allow"] != nil { return true }
        return ["actions", "views"].contains { part in
            guard case .object(let members)? = document[part] else { return false }
            return members.contains { $0.value["allow"] != nil }
        }
    }

    private static func step(_ edition: JSON, _ labels: [String], _ document: JSON, _ before: JSON) -> JSON {
        ["edition": edition, "labels": .array(labels.map { .string($0) }), "document": document, "before": before]
    }
}
