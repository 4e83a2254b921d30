public import JSON
public import Reactive

/// A value that is encoded row by row.
protocol EncodedByRow: JSONWritable {
    /// Encodes the rows that changed; nil if none did.
    func encode(with encoder: inout ListEncoder) throws(JSONError) -> EncodedList?
}

extension RowList: EncodedByRow where Row: JSONWritable {
    func encode(with encoder: inout ListEncoder) throws(JSONError) -> EncodedList? {
        do throws(JSONError) {
            return try encoder.encode(self)
        } catch {
            // The error of a row has no place in the list; that of the whole has.
            _ = try json()
            throw error
        }
    }
}

extension RowList: JSONWritable where Row: JSONWritable {
    /// Writes the rows, without their keys, as an array.
    public func write(to writer: inout JSONWriter) {
        writer.array { writer in
            for entry in self { writer.element(entry.row) }
        }
    }

    /// Returns the rows as an array.
    public func tree() throws(JSONError) -> JSON {
        var elements: [JSON] = []
        elements.reserveCapacity(count)
        for entry in self { elements.append(try entry.row.tree()) }
        return .array(elements)
    }
}

extension RowList: SchemaProviding where Row: SchemaProviding {
    /// Clients read the rows without their keys.
    public typealias Received = [Row]
    /// An array of the rows.
    public static var schema: JSON { [Row].schema }
}
