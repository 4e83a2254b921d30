/// A type that writes its values as JSON directly, without building a tree.
public protocol JSONWritable {
    /// Writes one value.
    func write(to writer: inout JSONWriter)
}

extension JSONWritable {
    /// Returns the value as a JSON document.
    @inlinable
    public func json() throws(JSONError) -> [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return try writer.finish()
    }
}
