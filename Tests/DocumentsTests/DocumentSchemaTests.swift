import Hosting
import Foundation
import JSON
import Schemas
import StateStore
import Testing

@testable import Documents

/// The JSON Schema of documents, which editors use.
struct DocumentSchemaTests {
    @Test func `each member that the reader knows has a form and a description, and no other has`() {
        var known = Set(Keywords.all.flatMap { part in part.names.map { "\(part.part)/\($0)" } })
        known.formUnion(SchemaReader.keywords.map { "schema/\($0)" })
        let described = DocumentSchema.members.map { "\($0.part)/\($0.name)" }
        #expect(Set(described) == known, "\(Set(described).symmetricDifference(known).sorted())")
        #expect(described.count == Set(described).count)
        #expect(DocumentSchema.members.allSatisfy { $0.description.count > 5 && $0.description.hasSuffix(".") })
    }

    @Test func `each reference of the schema has a definition, and expressions are marked`() throws {
        let text = DocumentSchema.json.description
        for match in text.matches(of: /"#\/\$defs\/([^"]+)"/) {
            #expect(DocumentSchema.json["$defs"]?[String(match.1)] != nil, "\(match.1)")
        }
        #expect(DocumentSchema.json["$defs"]?["cel"]?["format"] == "cel")
        let action = DocumentSchema.json["$defs"]?["action"]?["properties"]?["answer"]
        #expect(action?["$ref"] == "#/$defs/cel" && action?["description"] != nil)
    }

    @Test func `the documents of the examples satisfy the schema`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        for name in ["shop", "board", "auction", "booking"] {
            let directory = try DocumentDirectory(root.appending(path: "Examples/documents/\(name)").path)
            for file in directory.files {
                let fault = Self.fault(in: try file.content.get(), DocumentSchema.json, "")
                #expect(fault == nil, "\(file.name): \(fault ?? "")")
            }
        }
    }

    @Test(arguments: [
        #"{"feature": "a"}"#, #"{"feature": "a", "home": "nowhere"}"#,
        #"{"feature": "a", "home": "space", "sate": {}}"#,
        #"{"feature": "a", "home": "space", "state": {"n": {"value": {}}}}"#,
        #"{"feature": "a", "home": "space", "actions": {"b": {"do": [{"put": "x"}]}}}"#,
        #"{"feature": "a", "home": "space", "views": {"b": {"expression": 1}}}"#,
    ])
    func `the schema refuses what the reader refuses`(_ text: String) throws {
        let json = try JSON(parsing: Array(text.utf8))
        #expect(Self.fault(in: json, DocumentSchema.json, "") != nil)
        #expect(faults(json) != [])
    }

    /// Returns the place of the first fault of a value by the keywords that the schema uses; nil for none. Independent of
    /// the reader of schemas.
    private static func fault(in value: JSON, _ schema: JSON, _ place: String) -> String? {
        if case .string(let reference)? = schema["$ref"] {
            let name = String(reference.dropFirst("#/$defs/".count))
            guard let definition = DocumentSchema.json["$defs"]?[name] else { return "\(place): no \(name)" }
            if let fault = fault(in: value, definition, place) { return fault }
        }
        if case .array(let choices)? = schema["anyOf"] {
            guard choices.contains(where: { fault(in: value, $0, place) == nil }) else { return "\(place): anyOf" }
        }
        if case .array(let values)? = schema["enum"], !values.contains(value) { return "\(place): enum" }
        if case .string(let type)? = schema["type"] {
            let isInteger = value.kind.rawValue == "number" && type == "integer"
            guard value.kind.rawValue == type || isInteger else { return "\(place): not \(type)" }
        }
        if case .array(let names)? = schema["required"], case .object(let members) = value {
            for case .string(let name) in names where members[name] == nil { return "\(place): without \(name)" }
        }
        if case .array(let elements) = value, let items = schema["items"] {
            for (index, element) in elements.enumerated() {
                if let fault = fault(in: element, items, "\(place)/\(index)") { return fault }
            }
        }
        guard case .object(let members) = value else { return nil }
        for member in members {
            let inner = "\(place)/\(member.key)"
            if let property = schema["properties"]?[member.key] {
                if let fault = fault(in: member.value, property, inner) { return fault }
            } else if schema["additionalProperties"] == false {
                return "\(inner): unknown"
            } else if case .object? = schema["additionalProperties"], let others = schema["additionalProperties"] {
                if let fault = fault(in: member.value, others, inner) { return fault }
            }
        }
        return nil
    }
}

/// Warnings of rules that compare with the subject.
struct SubjectCheckTests {
    @Test(arguments: [
        "state.owner == token.sub", "token.sub == state.owner", "token.sub in state.members", "input.by==token.sub",
        "state.owner == token.sub || token.sub == 'root'",
    ])
    func `a rule that compares with the subject is a warning`(_ rule: String) {
        #expect(SubjectChecks.compares(rule) && !SubjectChecks.excludes(rule))
    }

    @Test(arguments: [
        "token.sub != ''", "token.sub == 'ada'", "'ada' == token.sub", "token.subject == 'x'",
        "token.role == state.owner",
    ])
    func `other rules are none`(_ rule: String) {
        #expect(!SubjectChecks.compares(rule))
    }

    @Test(arguments: [
        "token.sub != '' && state.owner == token.sub", "size(token.sub) > 0 && token.sub in state.members",
        "\"\" != token.sub && state.owner == token.sub",
    ])
    func `a rule that excludes the empty subject is none`(_ rule: String) {
        #expect(SubjectChecks.excludes(rule))
    }

    @Test func `the rule of the feature excludes it for all actions`() throws {
        let text = #"""
            {"feature": "box", "home": "space", "state": {"owner": {"value": {"type": "string"}, "initial": ""}},
             "actions": {"fill": {"allow": "state.owner == token.sub", "do": []}},
             "views": {"owner": {"expression": "state.owner", "allow": "state.owner == token.sub"}},
             "allow": {"act": "token.sub != ''"}}
            """#
        let feature = try #require(try compile(["box": try JSON(parsing: Array(text.utf8))])["box"])
        #expect(feature.warnings.map { "\($0.pointer)" } == ["/views/owner/allow"])
    }
}
