import Expressions
import JSON
import Schemas
import Testing

/// Law SCHEMA3: a schema that reports no change from an older one accepts each value of it, with defaults filled.
struct ChangeTests {
    @Test(arguments: [
        (#"{"type": "integer"}"#, #"{"type": "number"}"#), (#"{"type": "string"}"#, #"{"type": ["string", "null"]}"#),
        (#"{"minimum": 2, "maximum": 5}"#, #"{"exclusiveMinimum": 1, "maximum": 6}"#),
        (#"{"enum": ["a", "b"]}"#, #"{"type": "string", "maxLength": 1}"#), (#"{"const": 3}"#, #"{"enum": [3, 4]}"#),
        (#"{"type": "boolean"}"#, #"{"enum": [true, false]}"#), (#"{"multipleOf": 4}"#, #"{"multipleOf": 2}"#),
        (#"{"type": "integer"}"#, #"{"multipleOf": 0.5}"#), (#"{"minLength": 2}"#, #"{"minLength": 1}"#),
        (#"{"type": "string", "format": "date"}"#, #"{"type": "string", "maxLength": 10}"#),
        (#"{"type": "array", "items": {"type": "integer"}}"#, #"{"type": "array", "items": {"type": "number"}}"#),
        (
            #"{"properties": {"a": {"type": "integer"}}}"#,
            #"{"properties": {"a": {"type": "number"}, "b": {"type": "string"}}}"#
        ),
        (#"{"properties": {"a": {}}}"#, #"{"properties": {"a": {}, "b": {"default": 1}}, "required": ["b"]}"#),
        (#"{"properties": {"a": {}}, "required": ["a"]}"#, #"{"properties": {"a": {}}}"#),
        (#"{"properties": {"a": {"type": "integer"}}}"#, #"{"additionalProperties": {"type": "number"}}"#),
        (#"{"maxItems": 0}"#, #"{"items": {"type": "string"}}"#), (#"{"maxItems": 1}"#, #"{"uniqueItems": true}"#),
        (##"{"$ref": "#/types/Card"}"##, ##"{"$ref": "#/types/Card"}"##),
        (##"{"$ref": "#/types/Card"}"##, ##"{"properties": {"id": {"type": ["string", "null"]}}}"##),
        (##"{"type": "object", "properties": {"id": {"type": "string"}}}"##, ##"{"$ref": "#/types/Card"}"##),
        (#"{"type": "integer"}"#, #"{"type": "integer", "minimum": -9223372036854775808}"#),
        (#"{"type": "string"}"#, #"{"type": "string", "private": true}"#), ("{}", "{}"),
    ])
    func `old values fit`(_ old: String, _ new: String) throws {
        #expect(try changes(old, new).isEmpty)
    }

    @Test(arguments: [
        (
            #"{"type": "number"}"#, #"{"type": "integer"}"#,
            ": an old value may be a number, which the schema does not permit"
        ),
        (
            #"{"type": ["string", "null"]}"#, #"{"type": "string"}"#,
            ": an old value may be null, which the schema does not permit"
        ),
        (#"{"minimum": 0}"#, #"{"minimum": 1}"#, ": an old number may be below 1"),
        (#"{"exclusiveMaximum": 5}"#, #"{"maximum": 4}"#, ": an old number may be above 4"),
        (#"{"minimum": 0}"#, #"{"exclusiveMinimum": 0}"#, ": an old number may be 0 or below"),
        (#"{"multipleOf": 3}"#, #"{"multipleOf": 2}"#, ": an old number may be no multiple of 2"),
        (#"{"type": "string"}"#, #"{"minLength": 1}"#, ": an old text may have fewer than 1 characters"),
        (
            #"{"maxLength": 5}"#,
            #"{"type": ["null", "boolean", "integer", "number", "string", "array", "object"], "maxLength": 4}"#,
            ": an old text may have more than 4 characters"
        ),
        (#"{"pattern": "a"}"#, #"{"pattern": "b"}"#, ": an old text may not match the pattern"),
        (
            #"{"type": "string"}"#, #"{"type": "string", "format": "date"}"#,
            ": an old text may have another format than date"
        ),
        (
            #"{"enum": ["a", "bb"]}"#, #"{"type": "string", "maxLength": 1}"#,
            #": the old value "bb" does not satisfy the schema: the value must have 1 or fewer characters, not 2"#
        ),
        (#"{"type": "string"}"#, #"{"enum": ["a"]}"#, ": the schema permits certain values only; old ones were any"),
        (
            #"{"type": "array", "items": {"type": "string"}}"#, #"{"type": "array", "items": {"type": "integer"}}"#,
            "/*: an old value may be a string, which the schema does not permit"
        ),
        (#"{"type": "array"}"#, #"{"type": "array", "minItems": 1}"#, ": an old list may have fewer than 1 elements"),
        (#"{"type": "array"}"#, #"{"type": "array", "uniqueItems": true}"#, ": an old list may have an element twice"),
        (
            #"{"properties": {"a": {}}}"#, #"{"properties": {"a": {}}, "required": ["a"]}"#,
            "/a: an old value may lack this member; give it a default"
        ),
        (
            #"{"properties": {"a": {}, "b": {}}}"#, #"{"properties": {"a": {}}}"#,
            "/b: an old value may have this member, which the schema does not permit"
        ),
        (
            #"{"type": "object"}"#, #"{"type": "object", "properties": {}}"#,
            ": an old value may have further members, which the schema does not permit"
        ),
        (
            #"{"properties": {"a": {"type": "integer"}}}"#, #"{"properties": {"a": {"type": "string"}}}"#,
            "/a: an old value may be an integer, which the schema does not permit"
        ),
        (
            ##"{"$ref": "#/types/Card", "type": "object"}"##, #"{"properties": {"id": {"type": "integer"}}}"#,
            "/id: an old value may be a string, which the schema does not permit"
        ),
        (
            #"{"type": "object"}"#, #"{"properties": {"a": {"type": "string"}}, "additionalProperties": true}"#,
            "/a: an old value may be null, a boolean, an integer, a number, an array or an object, which the schema does not permit"
        ),
    ])
    func `old values may not fit`(_ old: String, _ new: String, _ words: String) throws {
        let words = words.replacing(
            "null, a boolean, an integer, a number, an array or",
            with: "null or a boolean or an integer or a number or an array or")
        #expect(try changes(old, new).first == words)
    }

    @Test func `random schemas without a change accept random old values`() throws {
        var random = RandomSchema(seed: 36)
        var accepted = 0
        for _ in 0..<20_000 {
            let (oldText, newText) = (random.schema(depth: 2), random.schema(depth: 2))
            guard let old = try? schema(oldText), let new = try? schema(newText), new.changes(from: old).isEmpty else {
                continue
            }
            for _ in 0..<20 {
                let value = random.value(depth: 2)
                guard old.fault(in: value) == nil else { continue }
                accepted += 1
                let fault = new.fault(in: new.filled(value))
                #expect(fault == nil, "\(value) was valid under \(oldText) and is not under \(newText)")
            }
        }
        #expect(accepted > 1_000)
    }

    @Test func `a schema without defaults has no change from itself`() throws {
        var random = RandomSchema(seed: 37)
        var read = 0
        for _ in 0..<5_000 {
            let text = random.schema(depth: 3, hasDefaults: false)
            guard let old = try? schema(text) else { continue }
            read += 1
            let changes = try schema(text).changes(from: old)
            #expect(changes.isEmpty, "\(text): \(changes)")
        }
        #expect(read > 4_000)
    }

    /// Law SCHEMA2: any document is read, or refused with words.
    @Test func `a random document is read or refused`() {
        var random = RandomSchema(seed: 38)
        var (read, refused) = (0, 0)
        for _ in 0..<5_000 {
            var reader = SchemaReader(types: random.types())
            let schema = reader.schema(random.document(depth: 3))
            guard reader.faults.isEmpty else {
                refused += 1
                #expect(reader.faults.allSatisfy { !$0.description.isEmpty })
                continue
            }
            read += 1
            let value = random.value(depth: 2)
            _ = schema.fault(in: schema.filled(value))
            _ = (schema.type.description, schema.privatePlaces, schema.withholding(value))
        }
        #expect(read > 100 && refused > 100)
    }

    private func changes(_ old: String, _ new: String) throws -> [String] {
        let types: JSON.Object = {
            guard
                case .object(let object) = ["Card": ["type": "object", "properties": ["id": ["type": "string"]]]]
                    as JSON
            else { return JSON.Object() }
            return object
        }()
        let old = try schema(parse(old), types: types)
        return try schema(parse(new), types: types).changes(from: old).map { "\($0.pointer): \($0.description)" }
    }
}

/// A generator of small schemas and values that often fit each other.
private struct RandomSchema {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func pick(_ count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(count))
    }

    /// A document that looks like a schema, with any value for any keyword.
    mutating func document(depth: Int) -> JSON {
        var object = JSON.Object()
        for _ in 0..<pick(4) {
            let name = pick(20) == 0 ? "x" : SchemaReader.keywords[pick(SchemaReader.keywords.count)]
            switch pick(4) {
            case 0: object[name] = value(depth: 1)
            case 1:
                object[name] =
                    ["integer", "date", "a", "#/types/A", "#/types/B", ["string"], ["a", "b"], 1e300][pick(8)]
            case 2 where depth > 0: object[name] = document(depth: depth - 1)
            default: object[name] = depth > 0 ? ["a": document(depth: depth - 1)] : true
            }
        }
        return .object(object)
    }

    mutating func types() -> JSON.Object {
        var types = JSON.Object()
        for name in ["A", "B", "C"].prefix(pick(4)) { types[name] = document(depth: 2) }
        return types
    }

    mutating func schema(depth: Int, hasDefaults: Bool = true) -> JSON {
        var object = JSON.Object()
        let kinds = ["null", "boolean", "integer", "number", "string", "array", "object"]
        switch pick(4) {
        case 0: break
        case 1: object["type"] = .array([.string(kinds[pick(3)]), .string(kinds[3 + pick(4)])])
        default: object["type"] = .string(kinds[pick(7)])
        }
        for _ in 0..<pick(3) {
            switch pick(14) {
            case 0: object["minimum"] = .number(Decimal(pick(4)))
            case 1: object["maximum"] = .number(Decimal(pick(4)))
            case 2: object["exclusiveMinimum"] = .number(Decimal(pick(4)))
            case 3: object["multipleOf"] = [0.5, 1, 2][pick(3)]
            case 4: object["minLength"] = .number(Decimal(pick(3)))
            case 5: object["maxLength"] = .number(Decimal(pick(3)))
            case 6: object["minItems"] = .number(Decimal(pick(2)))
            case 7: object["maxItems"] = .number(Decimal(pick(3)))
            case 8: object["uniqueItems"] = true
            case 9: object["enum"] = .array((0...pick(3)).map { _ in value(depth: 1) })
            case 10 where depth > 0: object["items"] = schema(depth: depth - 1, hasDefaults: hasDefaults)
            case 11 where depth > 0:
                object["additionalProperties"] =
                    pick(2) == 0 ? true : schema(depth: depth - 1, hasDefaults: hasDefaults)
            default:
                guard depth > 0 else { break }
                var properties = JSON.Object()
                for name in ["a", "b"].prefix(1 + pick(2)) {
                    properties[name] = schema(depth: depth - 1, hasDefaults: hasDefaults)
                }
                object["properties"] = .object(properties)
                if pick(2) == 0 { object["required"] = ["a"] }
            }
        }
        if pick(4) == 0, hasDefaults { object["default"] = value(depth: 1) }
        return .object(object)
    }

    mutating func value(depth: Int) -> JSON {
        switch pick(depth > 0 ? 8 : 6) {
        case 0: return nil
        case 1: return .bool(pick(2) == 0)
        case 2: return .number(Decimal(pick(5)))
        case 3: return [0.5, 1.5, 2.5][pick(3)]
        case 4, 5: return .string(["", "x", "xy"][pick(3)])
        case 6: return .array((0..<pick(3)).map { _ in value(depth: depth - 1) })
        default:
            var object = JSON.Object()
            for name in ["a", "b", "c"] where pick(2) == 0 { object[name] = value(depth: depth - 1) }
            return .object(object)
        }
    }
}
