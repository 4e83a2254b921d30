/// A type that writes its values as JSON directly, without building a tree.
public protocol JSONWritable {
    /// Writes one value.
    func write(to writer: inout JSONWriter)
    /// Returns the value as a tree, equal to the tree that its JSON text would be read as.
    func tree() throws(JSONError) -> JSON
}

extension JSONWritable {
    /// Returns the value as a JSON document.
    @inlinable
    public func json() throws(JSONError) -> [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return try writer.finish()
    }

    /// Writes the value and reads the text.
    public func tree() throws(JSONError) -> JSON { try JSON(parsing: try json()) }
}
