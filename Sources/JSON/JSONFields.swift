/// The members of an object that a type asks for by name, in whatever order they come.
///
///     init(from reader: inout JSONReader) throws(JSONError) {
///         var fields = try reader.fields()
///         productId = try fields.required("productId")
///         quantity = try fields.optional("quantity") ?? 1
///         try reader.end(fields)
///     }
///
/// Members in the order they are asked for are read straight through. Others are passed over, noted, and read when they are asked for.
public struct JSONFields: ~Escapable {
    /// A member that was passed over: its name, and where its value starts.
    @usableFromInline
    struct Passed {
        @usableFromInline let name: StringToken
        @usableFromInline let value: Int
        /// The name's text where that is not simply its bytes: unescaped once, however often it is compared.
        @usableFromInline let text: CodeUnits?
    }

    @usableFromInline var reader: JSONReader
    @usableFromInline let start: Int
    @usableFromInline var passed: [Passed] = []
    @usableFromInline var isFirst = true

    @inlinable
    @_lifetime(copy reader)
    init(_ reader: JSONReader, start: Int) {
        self.reader = reader
        self.start = start
    }

    /// The value of a member that must be there.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func required<Value: JSONReadable>(_ name: String, as type: Value.Type = Value.self) throws(JSONError) -> Value {
        guard try find(name) else { throw JSONError(.missingMember(name), at: start, pointer: JSONPointer([name])) }
        return try take()
    }

    /// The value of a member, nil where it is not there or `null`.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func optional<Value: JSONReadable>(_ name: String, as type: Value.Type = Value.self) throws(JSONError) -> Value? {
        guard try find(name) else { return nil }
        return try take(Value?.self)
    }

    /// Where the value stands that `find` found among the members passed over; nil while it is the next one.
    @usableFromInline var found: Int?

    /// An error about a member's value, for what its type cannot say: `fields.refused("quantity", "must be from 1 to 999")`.
    public func refused(_ name: String, _ demand: String) -> JSONError {
        JSONError(.refused(demand), at: start, pointer: JSONPointer([name]))
    }

    /// Looks for a member: the next one, else one passed over, else further on.
    @inlinable
    @_lifetime(self: copy self)
    mutating func find(_ name: String) throws(JSONError) -> Bool {
        found = nil
        if passed.isEmpty, try step() {
            if reader.takeName(name) { return true }
            let token = try reader.name()
            if try reader.isName(token, name) { return true }
            return try search(name, after: token)
        }
        return try search(name, after: nil)
    }

    /// Takes the value that `find` found.
    @inlinable
    @_lifetime(self: copy self)
    mutating func take<Value: JSONReadable>(_ type: Value.Type = Value.self) throws(JSONError) -> Value {
        guard let found else { return try Value(from: &reader) }
        var other = reader
        other.position = found
        return try Value(from: &other)
    }

    /// Goes to the next member's name, if there is one more.
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
        for (index, member) in passed.enumerated() {
            let isWanted = if let text = member.text { text == wanted } else { try reader.isName(member.name, name) }
            guard isWanted else { continue }
            found = member.value
            passed.remove(at: index)
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
        passed.append(Passed(name: name, value: reader.position, text: text))
        try reader.skip()
    }

    /// Passes over what is left, and says where the first member is that nobody asked for.
    @usableFromInline
    @_lifetime(self: copy self)
    mutating func leftover() throws(JSONError) -> StringToken? {
        while try step() { try pass(reader.name()) }
        return passed.first?.name
    }
}

extension JSONReader {
    /// Starts an object whose members are asked for by name; `end` takes its last brace.
    @inlinable
    @_lifetime(copy self)
    public mutating func fields() throws(JSONError) -> JSONFields {
        guard next() == UInt8(ascii: "{") else { throw mismatch("an object") }
        var inner = self
        try inner.open()
        return JSONFields(inner, start: position)
    }

    /// Ends an object: members that nobody asked for are refused.
    @inlinable
    public mutating func end(_ fields: consuming JSONFields) throws(JSONError) {
        if let extra = try fields.leftover() { throw try surplus(extra, in: fields.start) }
        position = fields.reader.position + 1
    }

    /// Ends an object of somebody else's, in which there may be more members than are asked for.
    public mutating func endIgnoringOthers(_ fields: consuming JSONFields) throws(JSONError) {
        // Read once more for the names alone: a name that comes twice has no value that could be trusted.
        position = fields.start
        try members { _, reader throws(JSONError) in try reader.skip() }
    }

    /// The error for a member that nobody asked for: it is unknown, or was there before.
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
