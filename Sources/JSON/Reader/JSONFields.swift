/// The members of an object, requested by name, in any order.
///
///     init(from reader: inout JSONReader) throws(JSONError) {
///         var fields = try reader.fields()
///         productId = try fields.required("productId")
///         quantity = try fields.optional("quantity") ?? 1
///         try reader.end(fields)
///     }
///
/// Members that arrive in the order of the requests are read in one pass. The reader skips and records others, and
/// reads them on request.
public struct JSONFields: ~Escapable {
    /// A skipped member: its name, and the offset of its value.
    @usableFromInline
    struct SkippedMember {
        @usableFromInline let name: StringToken
        @usableFromInline let value: Int
        /// The unescaped text of a name that is not plain ASCII: unescaped once, however often it is compared.
        @usableFromInline let text: CodeUnits?
    }

    @usableFromInline var reader: JSONReader
    @usableFromInline let start: Int
    @usableFromInline var skipped: [SkippedMember] = []
    @usableFromInline var isFirst = true

    @inlinable
    @_lifetime(copy reader)
    init(_ reader: JSONReader, start: Int) {
        self.reader = reader
        self.start = start
    }

    /// Reads the value of a required member.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func required<Value: JSONReadable>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(JSONError) -> Value {
        guard try find(name) else { throw JSONError(.missingMember(name), at: start, pointer: JSONPointer([name])) }
        return try take()
    }

    /// Reads the value of an optional member; nil if the member is missing or `null`.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func optional<Value: JSONReadable>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(JSONError) -> Value? {
        guard try find(name) else { return nil }
        return try take(Value?.self)
    }

    /// The offset of the value that `find` found among the skipped members; nil if the value comes next in the
    /// document.
    @usableFromInline var found: Int?

    /// Returns an error about a member's value, for rules that a type cannot express: `fields.refused("quantity", "must
    /// be from 1 to 999")`.
    public func refused(_ name: String, _ demand: String) -> JSONError {
        JSONError(.refused(demand), at: start, pointer: JSONPointer([name]))
    }

    /// Finds a member: the next one, a skipped one, or a later one.
    @inlinable
    @_lifetime(self: copy self)
    mutating func find(_ name: String) throws(JSONError) -> Bool {
        found = nil
        if skipped.isEmpty, try step() {
            if reader.takeName(name) { return true }
            let token = try reader.name()
            if try reader.isName(token, name) { return true }
            return try search(name, after: token)
        }
        return try search(name, after: nil)
    }

    /// Reads the value that `find` found.
    @inlinable
    @_lifetime(self: copy self)
    mutating func take<Value: JSONReadable>(_ type: Value.Type = Value.self) throws(JSONError) -> Value {
        guard let found else { return try Value(from: &reader) }
        var other = reader
        other.position = found
        return try Value(from: &other)
    }

    /// Moves to the next member's name; false if there are no more members.
    @inlinable
    @_lifetime(self: copy self)
    mutating func step() throws(JSONError) -> Bool {
        let byte = reader.next()
        if byte == UInt8(ascii: "}") { return false }
        if isFirst {
            isFirst = false
            return true
        }
        guard byte == UInt8(ascii: ",") else { throw reader.unexpected("',' or '}'") }
        reader.position += 1
        return true
    }

    @usableFromInline
    @_lifetime(self: copy self)
    mutating func search(_ name: String, after token: StringToken?) throws(JSONError) -> Bool {
        let wanted = CodeUnits(name)
        for (index, member) in skipped.enumerated() {
            let isWanted = if let text = member.text { text == wanted } else { try reader.isName(member.name, name) }
            guard isWanted else { continue }
            found = member.value
            skipped.remove(at: index)
            return true
        }
        if let token { try pass(token) }
        while try step() {
            let token = try reader.name()
            if try reader.isName(token, name) { return true }
            try pass(token)
        }
        return false
    }

    @_lifetime(self: copy self)
    private mutating func pass(_ name: StringToken) throws(JSONError) {
        let text = name.isPlain ? nil : CodeUnits(try reader.decodedText(name))
        skipped.append(SkippedMember(name: name, value: reader.position, text: text))
        try reader.skip()
    }

    /// Skips the remaining members, and returns the name of the first member without a request.
    @usableFromInline
    @_lifetime(self: copy self)
    mutating func leftover() throws(JSONError) -> StringToken? {
        while try step() { try pass(reader.name()) }
        return skipped.first?.name
    }
}

extension JSONReader {
    /// Starts an object whose members are requested by name; `end` reads its closing brace.
    @inlinable
    @_lifetime(copy self)
    public mutating func fields() throws(JSONError) -> JSONFields {
        guard next() == UInt8(ascii: "{") else { throw mismatch("an object") }
        var inner = self
        try inner.open()
        return JSONFields(inner, start: position)
    }

    /// Ends an object; a member without a request is an error.
    @inlinable
    public mutating func end(_ fields: consuming JSONFields) throws(JSONError) {
        if let extra = try fields.leftover() { throw try surplus(extra, in: fields.start) }
        position = fields.reader.position + 1
    }

    /// Ends an object from an external source, which may contain more members than requested.
    package mutating func endIgnoringOthers(_ fields: consuming JSONFields) throws(JSONError) {
        // A second pass over the names finds duplicates: a duplicate name has no trustworthy value.
        position = fields.start
        try members { _, reader throws(JSONError) in try reader.skip() }
    }

    /// Returns the error for a member without a request: the name is unknown or a duplicate.
    @usableFromInline
    func surplus(_ token: StringToken, in start: Int) throws(JSONError) -> JSONError {
        let name = try text(token)
        var isTwice = false
        var copy = self
        copy.position = start
        try copy.eachMember { other, reader throws(JSONError) in
            if !isTwice, other.start < token.start { isTwice = try reader.isName(other, name) }
            try reader.skip()
        }
        return JSONError(isTwice ? .duplicateMember(name) : .unknownMember(name), at: token.start - 1)
    }
}
