/// What JSON is written to: a buffer of bytes, which grows by one value after another.
///
/// Writing cannot fail on the way. What JSON has no form for (a double that is not finite, a tree nested too deep) becomes `null`, so that
/// the bytes stay JSON, and `failure` tells of the first such value; `finish` throws it. So no value that a user brings about can crash the
/// server or be kept as something else unnoticed.
public struct JSONWriter: ~Copyable {
    /// What was written, after what the buffer held before.
    @inlinable public var bytes: [UInt8] { buffer }
    /// How many bytes that is.
    @inlinable public var count: Int { buffer.count }
    /// The first value that could not be written. Its offset is that of the `null` in its place.
    @inlinable public var failure: JSONError? { problem }

    @usableFromInline var buffer: [UInt8]
    @usableFromInline var problem: JSONError?
    @usableFromInline let limit: Int
    @usableFromInline var depth = 0

    /// A writer that appends to a buffer and allows nesting up to `depth` (at most 512).
    @inlinable
    public init(appendingTo buffer: consuming [UInt8] = [], depth: Int = JSONReader.depthLimit) {
        self.buffer = buffer
        limit = min(depth, JSONReader.greatestDepthLimit)
    }

    /// Empties the buffer for the next document, and keeps its memory.
    @inlinable
    public mutating func reset() {
        buffer.removeAll(keepingCapacity: true)
        problem = nil
    }

    /// The bytes, if all could be written.
    @inlinable
    public consuming func finish() throws(JSONError) -> [UInt8] {
        if let problem { throw problem }
        // Taken out rather than copied, which would count a reference.
        var bytes: [UInt8] = []
        swap(&bytes, &buffer)
        return bytes
    }

    /// Writes `null`.
    @inlinable
    public mutating func null() { append("null") }

    /// Writes `true` or `false`.
    @inlinable
    public mutating func bool(_ value: Bool) { append(value ? "true" : "false") }

    /// Writes an array; the closure writes its elements.
    @inlinable
    public mutating func array(_ elements: (inout JSONWriter) -> Void) {
        container(UInt8(ascii: "["), UInt8(ascii: "]"), elements)
    }

    /// Writes an object; the closure writes its fields.
    @inlinable
    public mutating func object(_ fields: (inout JSONWriter) -> Void) {
        container(UInt8(ascii: "{"), UInt8(ascii: "}"), fields)
    }

    /// Writes an element of an array.
    @inlinable
    public mutating func element<Value: JSONWritable>(_ value: Value) {
        separate()
        value.write(to: &self)
    }

    /// Writes a member of an object. Each name is to be written once.
    @inlinable
    public mutating func field<Value: JSONWritable>(_ name: String, _ value: Value) {
        self.name(name)
        value.write(to: &self)
    }

    /// Writes a member of an object whose name is one of some, as it stands among them. Each is to be written once.
    @inlinable
    public mutating func field<Value: JSONWritable>(_ place: Int, of names: MemberNames, _ value: Value) {
        name(place, of: names)
        value.write(to: &self)
    }

    /// Writes such a member whose value is a document that was written before.
    @inlinable
    public mutating func field(_ place: Int, of names: MemberNames, written document: borrowing [UInt8]) {
        name(place, of: names)
        buffer.append(contentsOf: copy document)
    }

    /// Writes such a member whose value the closure writes.
    @inlinable
    public mutating func field(_ place: Int, of names: MemberNames, _ value: (inout JSONWriter) -> Void) {
        name(place, of: names)
        value(&self)
    }

    @inlinable
    mutating func name(_ place: Int, of names: MemberNames) {
        let start = names.bounds[place]
        let end = names.bounds[place + 1]
        guard start < end else { return name(names.texts[place]) }
        separate()
        unsafe names.written.withUnsafeBufferPointer { written in
            unsafe buffer.append(contentsOf: UnsafeBufferPointer(rebasing: written[start..<end]))
        }
    }

    /// Writes a member of an object whose value is a document that was written before.
    @inlinable
    public mutating func field(_ name: String, written document: borrowing [UInt8]) {
        self.name(name)
        buffer.append(contentsOf: copy document)
    }

    /// Writes a member of an object whose value the closure writes.
    @inlinable
    public mutating func field(_ name: String, _ value: (inout JSONWriter) -> Void) {
        self.name(name)
        value(&self)
    }

    /// Writes an element of an array that the closure writes.
    @inlinable
    public mutating func element(_ value: (inout JSONWriter) -> Void) {
        separate()
        value(&self)
    }

    /// Whether something stands before what comes next. No value ends in an opening bracket, so the last byte tells.
    @inlinable var needsComma: Bool {
        guard let last = buffer.last else { return false }
        return last != UInt8(ascii: "[") && last != UInt8(ascii: "{")
    }

    @inlinable
    mutating func separate() {
        if needsComma { buffer.append(UInt8(ascii: ",")) }
    }

    @inlinable
    mutating func container(_ opening: UInt8, _ closing: UInt8, _ content: (inout JSONWriter) -> Void) {
        guard depth < limit else { return fail(.tooDeep(limit: limit)) }
        depth += 1
        buffer.append(opening)
        content(&self)
        buffer.append(closing)
        depth -= 1
    }

    @inlinable
    mutating func append(_ text: StaticString) {
        unsafe buffer.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes `null` for what cannot be written, and remembers it.
    @usableFromInline
    mutating func fail(_ reason: JSONError.Reason) {
        if problem == nil { problem = JSONError(reason, at: buffer.count) }
        null()
    }
}
