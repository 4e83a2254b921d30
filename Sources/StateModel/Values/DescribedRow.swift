package import JSON

/// A row of a table of a described feature.
package struct DescribedRow: Equatable, Sendable {
    /// The row as clients see it.
    package let value: JSON
    /// The first adding, which no client sees.
    package let added: FirstAdding

    package init(_ value: JSON, added: FirstAdding = .unknown) {
        (self.value, self.added) = (value, added)
    }

    /// Returns another row with the same first adding.
    package func with(_ value: JSON) -> DescribedRow { DescribedRow(value, added: added) }

    /// The first adding alone.
    package var withoutValue: DescribedRow { with(.null) }
}

// A row is stored with its first adding as one value, `["\u0000",18,3,ROW]`. A row without one, as older programs have
// stored them, is stored as it is, unless it begins as the form does.
extension DescribedRow: JSONConvertible, SchemaProviding {
    package static var schema: JSON { JSON.schema }

    private static let mark = "\u{0}"

    package init(from reader: inout JSONReader) throws(JSONError) {
        guard reader.isNext(FirstAdding.mark) else {
            self.init(try JSON(from: &reader))
            return
        }
        var copy = reader
        do throws(JSONError) {
            self = try Self.marked(&copy)
            reader = copy
        } catch {
            self.init(try JSON(from: &reader))
        }
    }

    private static func marked(_ reader: inout JSONReader) throws(JSONError) -> DescribedRow {
        var part = 0
        var numbers: (version: Int64, index: Int64) = (0, 0)
        var value = JSON.null
        try reader.envelope { reader throws(JSONError) in
            switch part {
            case 0: _ = try reader.string()
            case 1: numbers.version = try reader.int64()
            case 2: numbers.index = try reader.int64()
            case 3: value = try JSON(from: &reader)
            default: throw JSONError(.refused("has a part too many"), at: reader.offset)
            }
            part += 1
        }
        guard part == 4, let added = FirstAdding(readVersion: numbers.version, index: numbers.index) else {
            throw JSONError(.refused("has another form"), at: reader.offset)
        }
        return DescribedRow(value, added: added)
    }

    package func write(to writer: inout JSONWriter) {
        guard added != .unknown || beginsAsMarked else { return value.write(to: &writer) }
        writer.envelope { writer in
            writer.element(Self.mark)
            writer.element(added.version)
            writer.element(added.index)
            writer.element(value)
        }
    }

    private var beginsAsMarked: Bool {
        guard case .array(let elements) = value, case .string(let first)? = elements.first else { return false }
        return first == Self.mark
    }
}

extension DescribedRow {
    /// Returns a stored row as clients see it.
    package static func shown(_ stored: [UInt8]) throws(JSONError) -> [UInt8] {
        var writer = JSONWriter(depth: JSONReader.greatestDepthLimit)
        try DescribedRow(parsing: stored, depth: JSONReader.greatestDepthLimit).value.write(to: &writer)
        return try writer.finish()
    }

    /// Returns the stored rows of a whole table as clients see them.
    package static func shown(whole stored: [UInt8]) throws(JSONError) -> [UInt8] {
        var writer = JSONWriter(depth: JSONReader.greatestDepthLimit)
        let rows = try [String: DescribedRow](parsing: stored, depth: JSONReader.greatestDepthLimit)
        rows.mapValues(\.value).write(to: &writer)
        return try writer.finish()
    }
}
