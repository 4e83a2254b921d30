import Hosting
import Documents
import Foundation
import JSON
import ServiceInProcess
import StateStore
import Testing

/// Law DOC9: a value is what its last write and the migrations since make of it, or its feature answers 503 in the
/// space. Documents change at random, spaces are of all ages, and the server is killed in between.
struct RandomMigrationTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `no value is dropped while documents change`(_ seed: UInt64) throws {
        let stand = try MigrationStand(seed: seed)
        defer { stand.end() }
        for _ in 0..<120 { try stand.step() }
        try stand.declareAll()
        for space in MigrationStand.spaces { try stand.check(space) }
        #expect(stand.counts.deployed > 3 && stand.counts.written > 10, "\(stand.counts)")
    }
}

/// The form of a variable, or of the rows of a table.
private enum ValueForm: Equatable {
    case number, optional, text
    /// An object with some members, each with its place as default.
    case record(Int)

    var schema: JSON {
        switch self {
        case .number: return ["type": "integer"]
        case .optional: return ["type": ["integer", "null"]]
        case .text: return ["type": "string", "maxLength": 3]
        case .record(let count):
            var properties = JSON.Object()
            for index in 0..<count {
                properties["m\(index)"] = ["type": "integer", "default": .number(Decimal(index))]
            }
            return ["type": "object", "properties": .object(properties)]
        }
    }

    /// The schema of the rows of a table, which cannot be null.
    var rowSchema: JSON { self == .optional ? ["type": ["integer", "boolean"]] : schema }

    var initial: JSON {
        switch self {
        case .number: 0
        case .optional: .null
        case .text: ""
        case .record: fill([:])
        }
    }

    func fill(_ value: JSON) -> JSON {
        guard case .record(let count) = self, case .object(var object) = value else { return value }
        for index in 0..<count where object["m\(index)"] == nil { object["m\(index)"] = .number(Decimal(index)) }
        return .object(object)
    }

    func fits(_ value: JSON) -> Bool {
        switch (self, value) {
        case (.number, .number), (.optional, .number), (.optional, .null): true
        case (.text, .string(let text)): text.count <= 3
        case (.record(let count), .object(let object)):
            object.allSatisfy { member in
                guard case .number = member.value else { return false }
                return (0..<count).contains { member.key == "m\($0)" }
            }
        default: false
        }
    }

    /// True if this form takes each value of an older one.
    func takes(_ old: ValueForm) -> Bool {
        switch (old, self) {
        case (.number, .optional): true
        case (.record(let old), .record(let new)): new >= old
        default: old == self
        }
    }
}

/// A declaration of a variable or a table.
private struct Declaration: Equatable {
    var form: ValueForm
    let isTable: Bool
    /// The expression that makes a value of an older one, and its model.
    var migration: Migration?

    struct Migration: Equatable {
        let expression: String

        /// The migrations from one form to another.
        static func between(_ old: ValueForm, _ new: ValueForm) -> [Migration] {
            switch (old, new) {
            case (.number, .number): [Migration(expression: "old + 1")]
            case (.number, .text): [Migration(expression: "string(old)")]
            case (.text, .number): [Migration(expression: "int(old)")]
            case (.text, .text): [Migration(expression: "old + 'x'")]
            case (.optional, .number): [Migration(expression: "old == null ? 7 : old")]
            case (.number, .record), (.optional, .record): [Migration(expression: "{'m0': old == null ? 5 : old}")]
            case (.record, .number): [Migration(expression: "old.m0")]
            default: []
            }
        }

        /// Returns the new value; nil if the expression fails.
        func value(of old: JSON) -> JSON? {
            switch (expression, old) {
            case ("old + 1", .number(let number)): .number((try? number + 1) ?? 0)
            case ("string(old)", .number(let number)): .string("\(number)")
            case ("int(old)", .string(let text)): Int64(text).map { .number(Decimal($0)) }
            // After a migration that failed, the next one has the value before it, of another form.
            case ("string(old)", .string), ("int(old)", .number): old
            case ("old + 'x'", .string(let text)): .string(text + "x")
            case ("old == null ? 7 : old", _): old == .null ? 7 : old
            case ("{'m0': old == null ? 5 : old}", _): ["m0": old == .null ? 5 : old]
            case ("old.m0", _): old["m0"]
            default: Optional<JSON>.none
            }
        }
    }

    var json: JSON {
        var object = JSON.Object()
        if isTable {
            object["table"] = ["key": ["type": "string"], "row": form.rowSchema]
        } else {
            object["value"] = form.schema
            object["initial"] = form.initial
        }
        if let migration { object["migrate"] = .string(migration.expression) }
        return .object(object)
    }
}

/// A server with random documents of one feature, and the model of its spaces.
private final class MigrationStand {
    static let spaces = (0..<6).map { "s\($0)" }
    private static let labels = ["a", "b", "c", "t", "u"]

    /// A stored value, with the number of the document under which it was written or migrated.
    private struct Stored {
        var value: JSON
        var document: Int
        /// The number of the first write of the key.
        let added: Int
    }

    private let root = FileManager.default.temporaryDirectory.appending(path: "migrations-\(UUID().uuidString)")
    private var images = 0
    private var service: ServiceInProcess
    private var random: Randomness
    private var documents: [[String: Declaration]] = []
    /// The values by space, label and key; variables have an empty key.
    private var stored: [String: [String: [String: Stored]]] = [:]
    private(set) var counts = (deployed: 0, refused: 0, written: 0, failed: 0, kills: 0)

    init(seed: UInt64) throws {
        random = Randomness(seed: seed)
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        service = try Self.service(in: root.appending(path: "0"))
        try deploy(Dictionary(uniqueKeysWithValues: Self.labels.map { ($0, declaration($0)) }), isGood: true)
    }

    private static func service(in directory: URL) throws -> ServiceInProcess {
        let service = try ServiceInProcess(directory: directory.path, documents: FeatureCompiler(), features: [])
        service.idleLimit = 2
        return service
    }

    func end() { #expect(throws: Never.self) { try FileManager.default.removeItem(at: root) } }

    private func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

    func step() throws {
        switch Int.random(in: 0..<12, using: &random) {
        case 0...1: try change()
        case 2: try kill()
        case 3...4: try check(pick(Self.spaces) ?? "s0")
        default: try write(in: pick(Self.spaces) ?? "s0")
        }
    }

    /// Continues with an image of the journal, as a kill leaves it.
    private func kill() throws {
        let old = root.appending(path: "\(images)")
        images += 1
        let new = root.appending(path: "\(images)")
        try FileManager.default.copyItem(at: old, to: new)
        service = try Self.service(in: new)
        counts.kills += 1
    }

    // MARK: Documents

    private func declaration(_ label: String) -> Declaration {
        let record = ValueForm.record(Int.random(in: 1...3, using: &random))
        let form = pick([ValueForm.number, .optional, .text, record]) ?? .number
        return Declaration(form: form, isTable: label >= "t")
    }

    /// The last declaration of a label before a document.
    private func last(_ label: String, before index: Int) -> Declaration? {
        documents[..<index].last { $0[label] != nil }?[label]
    }

    private func change() throws {
        var next = documents[documents.count - 1]
        var isGood = true
        for label in Self.labels where Int.random(in: 0..<3, using: &random) == 0 {
            let old = last(label, before: documents.count)
            // State that a space holds cannot be left out in silence.
            let isStored = stored.values.contains { !($0[label] ?? [:]).isEmpty }
            guard next[label] == nil || isStored || Bool.random(using: &random) else {
                next[label] = nil
                continue
            }
            var new = declaration(label)
            if let old {
                new.migration = pick(Declaration.Migration.between(old.form, new.form))
                if new.migration == nil || Int.random(in: 0..<4, using: &random) == 0 {
                    new.migration = nil
                    if !new.form.takes(old.form) { isGood = false }
                }
            }
            next[label] = new
        }
        if !next.isEmpty { try deploy(next, isGood: isGood) }
    }

    private func deploy(_ document: [String: Declaration], isGood: Bool) throws {
        var (state, actions, views) = (JSON.Object(), JSON.Object(), JSON.Object())
        for (label, declaration) in document.sorted(by: { $0.key < $1.key }) {
            state[label] = declaration.json
            var properties = JSON.Object()
            properties["value"] = declaration.form.schema
            if declaration.isTable { properties["key"] = ["type": "string"] }
            let required = properties.map { JSON.string($0.key) }
            actions["set\(label)"] = [
                "input": ["type": "object", "properties": .object(properties), "required": .array(required)],
                "do": [
                    declaration.isTable
                        ? ["put": .string(label), "key": "input.key", "row": "input.value"]
                        : ["set": .string(label), "to": "input.value"]
                ],
            ]
            views[label] = declaration.isTable ? ["from": .string(label)] : ["expression": .string("state.\(label)")]
        }
        let json: JSON = [
            "feature": "app", "home": "space", "state": .object(state), "actions": .object(actions),
            "views": .object(views),
        ]
        let reply = try service.ask("PUT /v1/features/app", [:], String(decoding: json.json(), as: UTF8.self))
        guard isGood else {
            counts.refused += 1
            return #expect(reply.status == 422, "\(reply.body)")
        }
        #expect(reply.status < 300, "\(reply.body)")
        if documents.last != document {
            documents.append(document)
            counts.deployed += 1
        }
    }

    /// Declares all variables again as they were declared last.
    func declareAll() throws {
        var all: [String: Declaration] = [:]
        for label in Self.labels { all[label] = last(label, before: documents.count) }
        try deploy(all, isGood: true)
    }

    // MARK: Spaces

    /// Returns a value under the present document; nil if it cannot be migrated.
    private func present(_ stored: Stored, _ label: String) -> JSON? {
        var (value, isMigrated) = (stored.value, true)
        for index in documents.indices where index > stored.document {
            guard let declaration = documents[index][label], let before = last(label, before: index),
                let migration = declaration.migration, declaration != before
            else { continue }
            if let new = migration.value(of: before.form.fill(value)) {
                (value, isMigrated) = (new, true)
            } else {
                isMigrated = false
            }
        }
        guard let declaration = documents[documents.count - 1][label] else { return value }
        value = declaration.form.fill(value)
        // `nil` would be a JSON null here.
        guard isMigrated, declaration.form.fits(value) else { return Optional<JSON>.none }
        return value
    }

    /// Migrates a space in the model. Returns false if a value cannot be migrated: then the feature is not there.
    private func migrate(_ space: String) -> Bool {
        let declared = documents[documents.count - 1].keys
        var values = stored[space] ?? [:]
        for label in declared {
            for (key, old) in values[label] ?? [:] {
                guard let value = present(old, label) else { return false }
                values[label]?[key] = Stored(value: value, document: documents.count - 1, added: old.added)
            }
        }
        stored[space] = values
        return true
    }

    private func write(in space: String) throws {
        guard let (label, declaration) = pick(documents[documents.count - 1].sorted(by: { $0.key < $1.key })) else {
            return
        }
        let number = Int64(Int.random(in: 0...9_999, using: &random))
        var value: JSON = .number(Decimal(number))
        switch declaration.form {
        case .number: break
        // A row that is null is no row.
        case .optional: if number.isMultiple(of: 5), !declaration.isTable { value = .null }
        case .text: value = .string(number.isMultiple(of: 3) ? "q" : "\(number % 1000)")
        case .record: value = declaration.form.fill(["m0": value])
        }
        let key = declaration.isTable ? "k\(number % 4)" : ""
        var input = JSON.Object()
        input["value"] = value
        if declaration.isTable { input["key"] = .string(key) }
        let reply = try service.ask(
            "POST /v1/spaces/\(space)/app/set\(label)", [:], String(decoding: JSON.object(input).json(), as: UTF8.self))
        guard migrate(space) else {
            counts.failed += 1
            return #expect(reply.status == 503, "\(space) \(label): \(reply.body)")
        }
        #expect(reply.status == 200, "\(space) \(label): \(reply.body)")
        counts.written += 1
        // A variable that has its initial value is not stored.
        if !declaration.isTable, stored[space]?[label]?[key] == nil, value == declaration.form.initial { return }
        let added = stored[space]?[label]?[key]?.added ?? counts.written
        stored[space, default: [:]][label, default: [:]][key] = Stored(
            value: value, document: documents.count - 1, added: added)
    }

    /// Compares the views of a space with the model.
    func check(_ space: String) throws {
        let isMigrated = migrate(space)
        for (label, declaration) in documents[documents.count - 1].sorted(by: { $0.key < $1.key }) {
            let reply = try service.ask("GET /v1/spaces/\(space)/app/\(label)")
            guard isMigrated else {
                counts.failed += 1
                #expect(reply.status == 503, "\(space) \(label): \(reply.body) \(history(label, in: space))")
                continue
            }
            #expect(reply.status == 200, "\(space) \(label): \(reply.body) \(history(label, in: space))")
            let rows = stored[space]?[label] ?? [:]
            var expected = rows[""]?.value ?? declaration.form.initial
            if declaration.isTable {
                let ordered = rows.sorted { $0.value.added < $1.value.added }
                expected = .array(ordered.map { ["key": .string($0.key), "row": $0.value.value] })
            }
            #expect(try reply.json == expected, "\(space) \(label) \(history(label, in: space))")
        }
    }

    /// The declarations of a label and its values, for a failure.
    private func history(_ label: String, in space: String) -> String {
        let forms = documents.map { document in
            document[label].map { "\($0.form) \($0.migration?.expression ?? "-")" } ?? "none"
        }
        return "\(forms) \(String(describing: stored[space]?[label]))"
    }
}
