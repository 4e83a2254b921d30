/// A buffer of bytes to which JSON values are appended.
///
/// Writing does not fail midway. A value without a JSON form (a double that is not finite, a tree nested too deep)
/// becomes `null`, so the bytes stay valid JSON. `failure` holds the first such value, and `finish` throws it. A value
/// caused by a client therefore cannot crash the server or be stored altered without notice.
public struct JSONWriter: ~Copyable {
    /// The bytes written so far, after the initial content of the buffer.
    @inlinable public var bytes: [UInt8] { buffer }
    /// The number of bytes in the buffer.
    @inlinable public var count: Int { buffer.count }
    /// The error for the first value without a JSON form. Its offset is that of the `null` in its place.
    @inlinable package var failure: JSONError? { problem }

    @usableFromInline var buffer: [UInt8]
    @usableFromInline var problem: JSONError?
    @usableFromInline let limit: Int
    @usableFromInline var depth = 0

    /// Creates a writer that appends to a buffer and permits nesting up to `depth` levels (at most 512).
    @inlinable
    public init(appendingTo buffer: consuming [UInt8] = [], depth: Int = JSONReader.depthLimit) {
        self.buffer = buffer
        limit = min(depth, JSONReader.greatestDepthLimit)
    }

    /// Empties the buffer for the next document and keeps its memory.
    @inlinable
    package mutating func reset() {
        buffer.removeAll(keepingCapacity: true)
        problem = nil
    }

    /// Returns the bytes, or throws `failure`.
    @inlinable
    public consuming func finish() throws(JSONError) -> [UInt8] {
        if let problem { throw problem }
        // A swap moves the bytes out; a copy would retain a reference.
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

    /// Writes an array; `elements` writes its elements.
    @inlinable
    public mutating func array(_ elements: (inout JSONWriter) -> Void) {
        container(UInt8(ascii: "["), UInt8(ascii: "]"), elements)
    }

    /// Writes an object; `fields` writes its members.
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

    /// Writes a member of an object. Precondition: each name is written once.
    @inlinable
    public mutating func field<Value: JSONWritable>(_ name: String, _ value: Value) {
        self.name(name)
        value.write(to: &self)
    }

    /// Writes a member of an object; `place` is the index of its name in `names`. Precondition: each name is written
    /// once.
    @inlinable
    package mutating func field<Value: JSONWritable>(_ place: Int, of names: MemberNames, _ value: Value) {
        name(place, of: names)
        value.write(to: &self)
    }

    /// Writes a member of an object; the value is an existing JSON document.
    @inlinable
    package mutating func field(_ place: Int, of names: MemberNames, written document: borrowing [UInt8]) {
        name(place, of: names)
        buffer.append(contentsOf: copy document)
    }

    /// Writes a member of an object; the closure writes the value.
    @inlinable
    package mutating func field(_ place: Int, of names: MemberNames, _ value: (inout JSONWriter) -> Void) {
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

    /// Writes a member of an object; the value is an existing JSON document.
    @inlinable
    public mutating func field(_ name: String, written document: borrowing [UInt8]) {
        self.name(name)
        buffer.append(contentsOf: copy document)
    }

    /// Writes a member of an object; the closure writes the value.
    @inlinable
    public mutating func field(_ name: String, _ value: (inout JSONWriter) -> Void) {
        self.name(name)
        value(&self)
    }

    /// Writes an element of an array; the closure writes the value.
    @inlinable
    public mutating func element(_ value: (inout JSONWriter) -> Void) {
        separate()
        value(&self)
    }

    /// True if another element or member precedes. No value ends in an opening bracket, so the last byte decides.
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

    /// Writes `null` for a value without a JSON form, and records the first such error.
    @usableFromInline
    mutating func fail(_ reason: JSONError.Reason) {
        if problem == nil { problem = JSONError(reason, at: buffer.count) }
        null()
    }
}
