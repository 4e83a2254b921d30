extension JSONReader {
    /// Takes an array; the closure takes one element each time.
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

    /// Takes an object of any names; the closure is given each name and takes its value. A name that comes twice is refused.
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

    /// Takes an object whose members are some of `names`, of which there are 64 at the most; the closure is given the place of each name among them
    /// and takes its value. A name that is not among them, or comes twice, is refused. Names in the order of `names` are found at once. What came is
    /// returned, as a bit for each place.
    @inlinable
    public mutating func members(
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

    /// Takes a name and its colon, and finds its place among names; one that is not among them is refused as the object's that starts at `start`.
    @usableFromInline
    mutating func search(_ names: MemberNames, from start: Int) throws(JSONError) -> Int {
        let token = try name()
        for (place, name) in names.texts.enumerated() where try isName(token, name) { return place }
        let stranger = try text(token)
        throw JSONError(.unknownMember(stranger), at: start, pointer: JSONPointer([stranger]))
    }

    /// Takes an object; the closure is given each name as it stands there and takes its value. It looks after names that come twice itself.
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

    /// Passes over a value of any kind. Its grammar and its Unicode are checked; its names may repeat and its numbers be of any size, since
    /// nobody is told of them.
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

    /// Checks the escapes and the Unicode of a string that is passed over.
    private func check(_ token: StringToken) throws(JSONError) {
        if !token.isPlain { _ = try decodedText(token) }
    }
}
