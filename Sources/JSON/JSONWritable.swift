/// A type whose values are written as JSON, without a tree in between.
public protocol JSONWritable {
    /// Writes one value.
    func write(to writer: inout JSONWriter)
}

extension JSONWritable {
    /// The value as a JSON document.
    @inlinable
    public func json() throws(JSONError) -> [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return try writer.finish()
    }
}
