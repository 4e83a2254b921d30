import Foundation
import HeadwaterServer
import JSON
import Streams
import YAMLReading

/// `openapi.yaml`: handwritten except for two parts between marks, which follow from the server's index.
struct Contract {
    /// The generated parts: the paths of actions and views, and the schemas of streams.
    enum Part: String, CaseIterable {
        case paths, schemas

        var begin: String {
            "# >>> Scripts/openapi writes these \(rawValue) from the server's index. "
                + "Handwritten summaries, descriptions and examples stay."
        }
        var end: String { "# <<< The generated \(rawValue) end here." }
        var indent: Int { self == .paths ? 2 : 4 }
    }

    /// The root of the package.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let file = root.appendingPathComponent("openapi.yaml")

    let text: String
    let tree: JSON

    init() throws { try self.init(text: String(contentsOf: Self.file, encoding: .utf8)) }

    init(text: String) throws {
        self.text = text
        tree = try YAMLReader.read(text)
    }

    /// An operation of the contract.
    struct Operation {
        let path: String
        let method: String
        let tree: JSON

        /// The statuses that the operation lists.
        var statuses: Set<String> {
            if case .object(let responses)? = tree["responses"] { Set(responses.map(\.key)) } else { [] }
        }

        var description: String { "\(method.uppercased()) \(path)" }
    }

    /// All operations in the order of the file.
    var operations: [Operation] {
        guard case .object(let paths)? = tree["paths"] else { return [] }
        return paths.flatMap { path -> [Operation] in
            guard case .object(let item) = path.value else { return [] }
            return item.filter { $0.key != "parameters" }.map {
                Operation(path: path.key, method: $0.key, tree: $0.value)
            }
        }
    }

    /// Returns the up-to-date text of the file.
    func text(following index: JSON) throws -> String {
        var features: [JSON] = []
        if case .array(let found)? = index["features"] { features = found }
        let described = DescribedPaths(of: features, words: tree["paths"] ?? [:], besides: schemasByHand)
        var schemas = DefinitionSchema.components
        for schema in described.schemas { schemas[schema.key] = schema.value }
        return try Part.allCases.reduce(text) { text, part in
            try replacing(part, in: text, with: part == .paths ? described.paths : schemas)
        }
    }

    /// Returns a short report of the differences from the up-to-date text and the remedy; nil if there are none.
    func staleness(against current: String) throws -> String? {
        guard current != text else { return nil }
        let now = try YAMLReader.read(current)
        let places = [["paths"], ["components", "schemas"]].flatMap { Self.differences(of: tree, and: now, at: $0) }
        let shown = places.prefix(6).joined(separator: ", ") + (places.count > 6 ? " and \(places.count - 6) more" : "")
        return
            "openapi.yaml is out of date: run Scripts/openapi, then build again. It differs in \(places.isEmpty ? "its layout" : shown)"
    }

    /// Returns the paths of members that differ between two trees or exist in one of them only.
    private static func differences(of one: JSON, and other: JSON, at place: [String]) -> [String] {
        func members(_ tree: JSON) -> JSON.Object {
            if case .object(let object)? = place.reduce(tree, { $0?[$1] }) { object } else { JSON.Object() }
        }
        let (old, new) = (members(one), members(other))
        let names = old.map(\.key) + new.map(\.key).filter { old[$0] == nil }
        return names.filter { old[$0] != new[$0] }
    }

    private func replacing(_ part: Part, in text: String, with object: JSON.Object) throws -> String {
        let space = String(repeating: " ", count: part.indent)
        let before = text.components(separatedBy: "\(space)\(part.begin)\n")
        let after = before.count == 2 ? before[1].components(separatedBy: "\(space)\(part.end)\n") : []
        guard after.count == 2 else {
            throw YAMLFault(line: 0, "the marks around the \(part) are not both there, once")
        }
        let lines = YAMLWriter.lines(of: object, indent: part.indent)
        return ([before[0] + space + part.begin] + lines + [space + part.end, after[1]]).joined(separator: "\n")
    }

    /// The handwritten paths.
    var pathsByHand: Set<String> {
        let text = text.components(separatedBy: Part.paths.begin)[0]
        return Set(operations.map(\.path).filter { text.contains("\n  \($0):\n") })
    }

    /// The names of the schemas that do not follow from the index.
    private var schemasByHand: Set<String> {
        let parts = text.components(separatedBy: "    \(Part.schemas.begin)\n")
        let after = parts.last?.components(separatedBy: "    \(Part.schemas.end)\n").last ?? ""
        var names = Set(DefinitionSchema.components.map(\.key))
        if case .object(let schemas)? = tree["components"]?["schemas"] {
            names.formUnion(schemas.map(\.key).filter { (parts[0] + after).contains("\n    \($0):") })
        }
        return names
    }

    /// Returns the names of the query parameters of an operation.
    func queryParameters(of operation: Operation) -> [String] {
        let shared = tree["paths"]?[operation.path]?["parameters"]
        return [shared, operation.tree["parameters"]].flatMap { list -> [String] in
            guard case .array(let parameters)? = list else { return [] }
            return parameters.compactMap { parameter in
                var parameter = parameter
                if case .string(let reference)? = parameter["$ref"], let target = resolve(reference) {
                    parameter = target
                }
                guard parameter["in"] == "query", case .string(let name)? = parameter["name"] else { return nil }
                return name
            }
        }
    }

    /// Returns the target of a reference such as `#/components/schemas/Problem`.
    func resolve(_ reference: String) -> JSON? {
        reference.dropFirst(2).split(separator: "/").reduce(tree) { $0?[String($1)] }
    }

    /// Returns a schema, or the target of its reference.
    func resolved(_ schema: JSON) -> JSON {
        if case .string(let reference)? = schema["$ref"] { resolve(reference) ?? schema } else { schema }
    }

    /// The places of models without a name: objects with members and alternatives that are no schema of the components,
    /// have no title, and are no member of an object.
    var namelessModels: [String] {
        var found: [String] = []
        namedModels(in: tree["components"]?["schemas"], at: "schemas", into: &found)
        for part in [tree["paths"], tree["components"]?["responses"], tree["components"]?["parameters"]] {
            outside(part ?? [:], at: "", into: &found)
        }
        return found
    }

    /// Looks for schemas in an operation, an answer or a parameter.
    private func outside(_ value: JSON, at place: String, into found: inout [String]) {
        switch value {
        case .array(let elements):
            for element in elements { outside(element, at: place, into: &found) }
        case .object(let object):
            for member in object where member.key != "example" && member.key != "examples" {
                if member.key == "schema" {
                    models(in: member.value, at: place, isNamed: false, into: &found)
                } else {
                    outside(member.value, at: "\(place)/\(member.key)", into: &found)
                }
            }
        default: break
        }
    }

    /// Looks for models in an object of schemas by name.
    private func namedModels(in value: JSON?, at place: String, into found: inout [String]) {
        guard case .object(let object)? = value else { return }
        for member in object { models(in: member.value, at: "\(place)/\(member.key)", isNamed: true, into: &found) }
    }

    /// Looks for models in a schema.
    private func models(in schema: JSON, at place: String, isNamed: Bool, into found: inout [String]) {
        guard case .object(let object) = schema else { return }
        let alternatives = ["anyOf", "oneOf"].flatMap { key -> [JSON] in
            // Null beside a type makes it optional.
            if case .array(let branches)? = object[key] { branches.filter { $0["type"] != "null" } } else { [] }
        }
        namedModels(in: object["properties"], at: place, into: &found)
        let isModel = object["properties"] ?? [:] != [:] || alternatives.count > 1
        if isModel, !isNamed, object["title"] == nil { found.append(place) }
        for part in alternatives + [object["items"], object["additionalProperties"]].compactMap({ $0 }) {
            models(in: part, at: place, isNamed: false, into: &found)
        }
    }
}
