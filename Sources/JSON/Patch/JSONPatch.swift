/// A list of operations that turns one JSON value into another (RFC 6902).
package struct JSONPatch: Sendable {
    /// One step of a patch. Each step applies to the result of the step before it.
    package enum Operation: Sendable {
        /// Inserts an element before a position of an array, or sets a member of an object.
        case add(JSONPointer, JSON)
        /// Removes an element or a member.
        case remove(JSONPointer)
        /// Replaces an existing value.
        case replace(JSONPointer, JSON)
        /// Removes the value at `from` and adds it at `to`.
        case move(from: JSONPointer, to: JSONPointer)
        /// Adds the value at `from` at `to` too.
        case copy(from: JSONPointer, to: JSONPointer)
        /// Checks that the value equals another.
        case test(JSONPointer, JSON)
    }

    /// The operations, in order. The operations of two patches, one after the other, are the patch of both steps.
    package var operations: [Operation]

    /// Creates a patch of operations.
    package init(_ operations: [Operation] = []) { self.operations = operations }

    /// Returns the patch for the same value as a member or an element of a document.
    package func moved(below token: String) -> JSONPatch {
        func below(_ path: JSONPointer) -> JSONPointer { JSONPointer([token] + path.tokens) }
        return JSONPatch(
            operations.map { operation in
                switch operation {
                case .add(let path, let value): .add(below(path), value)
                case .remove(let path): .remove(below(path))
                case .replace(let path, let value): .replace(below(path), value)
                case .move(let source, let path): .move(from: below(source), to: below(path))
                case .copy(let source, let path): .copy(from: below(source), to: below(path))
                case .test(let path, let value): .test(below(path), value)
                }
            })
    }

    /// True if the patch changes nothing.
    package var isEmpty: Bool { operations.isEmpty }
}

extension JSONPatch: JSONConvertible {
    /// Reads an array of operations. Members that RFC 6902 does not define are ignored (§3).
    package init(from reader: inout JSONReader) throws(JSONError) { operations = try reader.value() }

    /// Writes the array of operations.
    package func write(to writer: inout JSONWriter) { operations.write(to: &writer) }
}

extension JSONPatch.Operation: JSONConvertible {
    /// Reads an operation.
    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.offset
        var name: String?
        var path: JSONPointer?
        var source: JSONPointer?
        var value: JSON?
        try reader.members { member, reader throws(JSONError) in
            switch member {
            case "op": name = try reader.string()
            case "path": path = try Self.pointer(from: &reader)
            case "from": source = try Self.pointer(from: &reader)
            case "value": value = try reader.value(JSON.self)
            default: try reader.skip()
            }
        }
        func required<Value>(_ value: Value?, _ member: String) throws(JSONError) -> Value {
            guard let value else { throw JSONError(.missingMember(member), at: start, pointer: JSONPointer([member])) }
            return value
        }
        let operation = try required(name, "op")
        let target = try required(path, "path")
        switch operation {
        case "add": self = .add(target, try required(value, "value"))
        case "remove": self = .remove(target)
        case "replace": self = .replace(target, try required(value, "value"))
        case "move": self = .move(from: try required(source, "from"), to: target)
        case "copy": self = .copy(from: try required(source, "from"), to: target)
        case "test": self = .test(target, try required(value, "value"))
        default:
            throw JSONError(
                .refused("must be one of add, remove, replace, move, copy, test"), at: start,
                pointer: JSONPointer(["op"]))
        }
    }

    private static func pointer(from reader: inout JSONReader) throws(JSONError) -> JSONPointer {
        let offset = reader.offset
        guard let pointer = JSONPointer(text: try reader.string()) else {
            throw JSONError(
                .refused("must be a JSON Pointer: empty, or \"/\" before each name, with ~0 for ~ and ~1 for /"),
                at: offset)
        }
        return pointer
    }

    /// Writes the operation.
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .add(let path, let value): Self.write("add", path, value, to: &writer)
            case .remove(let path):
                writer.field("op", "remove")
                writer.field("path", path.description)
            case .replace(let path, let value): Self.write("replace", path, value, to: &writer)
            case .move(let source, let path): Self.write("move", from: source, path, to: &writer)
            case .copy(let source, let path): Self.write("copy", from: source, path, to: &writer)
            case .test(let path, let value): Self.write("test", path, value, to: &writer)
            }
        }
    }

    private static func write(_ name: String, _ path: JSONPointer, _ value: JSON, to writer: inout JSONWriter) {
        writer.field("op", name)
        writer.field("path", path.description)
        writer.field("value", value)
    }

    private static func write(
        _ name: String, from source: JSONPointer, _ path: JSONPointer, to writer: inout JSONWriter
    ) {
        writer.field("op", name)
        writer.field("from", source.description)
        writer.field("path", path.description)
    }
}
