extension JSONReader {
    /// Reads an array; `element` reads one element per call.
    @inlinable
    public mutating func array(_ element: (inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        guard next() == UInt8(ascii: "[") else { throw mismatch("an array") }
        try open()
        if next() != UInt8(ascii: "]") {
            try element(&self)
            while next() == UInt8(ascii: ",") {
                position += 1
                try element(&self)
            }
        }
        guard byte == UInt8(ascii: "]") else { throw unexpected("',' or ']'") }
        position += 1
        depth -= 1
    }

    /// Reads an object with any names; `member` receives each name and reads its value. A duplicate name is an error.
    public mutating func members(_ member: (String, inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        var names: [String] = []
        var index = KeyIndex()
        try eachMember { name, reader throws(JSONError) in
            let start = reader.position
            let text = try reader.text(name)
            guard index.position(of: text, count: names.count, nameAt: { names[$0] }) == nil else {
                throw JSONError(.duplicateMember(text), at: name.start - 1)
            }
            names.append(text)
            index.append(count: names.count) { names[$0] }
            reader.position = start
            try member(text, &reader)
        }
    }

    /// Reads an object whose names all occur in `names` (at most 64); `member` receives the index of each name in
    /// `names` and reads its value.
    ///
    /// An unknown or duplicate name is an error. Names that arrive in the order of `names` are matched without a
    /// search. Returns the members that were present, one bit for each index.
    @inlinable
    package mutating func members(
        of names: MemberNames, _ member: (Int, inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) -> UInt64 {
        guard next() == UInt8(ascii: "{") else { throw mismatch("an object") }
        let start = position
        try open()
        var seen: UInt64 = 0
        if next() != UInt8(ascii: "}") {
            var place = 0
            while true {
                let nameStart = position
                if !take(place, of: names) { place = try search(names, from: start) }
                guard seen & (1 << UInt64(place)) == 0 else {
                    throw JSONError(.duplicateMember(names.texts[place]), at: nameStart)
                }
                seen |= 1 << UInt64(place)
                try member(place, &self)
                place += 1
                guard next() == UInt8(ascii: ",") else { break }
                position += 1
                _ = next()
            }
        }
        guard byte == UInt8(ascii: "}") else { throw unexpected("',' or '}'") }
        position += 1
        depth -= 1
        return seen
    }

    /// Reads a name and its colon, and returns its index in `names`. An unknown name is an error in the object that
    /// starts at `start`.
    @usableFromInline
    mutating func search(_ names: MemberNames, from start: Int) throws(JSONError) -> Int {
        let token = try name()
        for (place, name) in names.texts.enumerated() where try isName(token, name) { return place }
        let stranger = try text(token)
        throw JSONError(.unknownMember(stranger), at: start, pointer: JSONPointer([stranger]))
    }

    /// Reads an object; `member` receives each name as a token and reads its value. The caller checks for duplicate
    /// names.
    @inlinable
    mutating func eachMember(_ member: (StringToken, inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        guard next() == UInt8(ascii: "{") else { throw mismatch("an object") }
        try open()
        if next() != UInt8(ascii: "}") {
            try member(name(), &self)
            while next() == UInt8(ascii: ",") {
                position += 1
                try member(name(), &self)
            }
        }
        guard byte == UInt8(ascii: "}") else { throw unexpected("',' or '}'") }
        position += 1
        depth -= 1
    }

    /// Skips a value of any kind. Checks grammar and Unicode, but permits duplicate names and numbers of any size,
    /// because no caller receives them.
    public mutating func skip() throws(JSONError) {
        switch try kind() {
        case .null: try literal("null")
        case .boolean: _ = try bool()
        case .number: _ = try number("a number")
        case .string: try check(stringToken())
        case .array: try array { reader throws(JSONError) in try reader.skip() }
        case .object:
            try eachMember { name, reader throws(JSONError) in
                try reader.check(name)
                try reader.skip()
            }
        }
    }

    /// Checks the escapes and the Unicode of a skipped string.
    private func check(_ token: StringToken) throws(JSONError) {
        if !token.isPlain { _ = try decodedText(token) }
    }
}
