extension JSONReader {
    /// Reads a member's name and the colon after it.
    @inlinable
    mutating func name() throws(JSONError) -> StringToken {
        guard next() == UInt8(ascii: "\"") else { throw unexpected("a member's name in quotation marks") }
        let token = try stringToken()
        try take(UInt8(ascii: ":"))
        return token
    }

    /// Returns the text of a token.
    @inlinable
    func text(_ token: StringToken) throws(JSONError) -> String {
        token.isPlain ? plainText(token) : try decodedText(token)
    }

    /// Reads a name and its colon if they come next verbatim, which is the usual case in documents from a program.
    @inlinable
    mutating func takeName(_ name: String) -> Bool {
        guard next() == UInt8(ascii: "\""), bytes.count - position > name.utf8.count + 2 else { return false }
        let start = position + 1
        let length = name.utf8.count
        guard bytes[start + length] == UInt8(ascii: "\""), bytes[start + length + 1] == UInt8(ascii: ":") else {
            return false
        }
        var text = name
        let isSame = text.withUTF8 { utf8 in
            var index = 0
            // A name that needs escapes never occurs verbatim.
            while index < length, unsafe bytes[unchecked: start + index] == utf8[index],
                unsafe !utf8[index].isMarkedInStrings
            {
                index += 1
            }
            return index == length
        }
        guard isSame else { return false }
        position = start + length + 2
        return true
    }

    /// Reads the name at index `place` and its colon if they come next verbatim. Precondition: whitespace before the
    /// name is skipped.
    @inlinable
    mutating func take(_ place: Int, of names: MemberNames) -> Bool {
        guard place < names.texts.count else { return false }
        let start = names.bounds[place]
        let length = names.bounds[place + 1] - start
        guard length > 0, bytes.count - position >= length else { return false }
        let wanted = unsafe names.written.span.extracting(unchecked: start..<start + length)
        let found = unsafe bytes.extracting(unchecked: position..<position + length)
        for index in 0..<length where unsafe found[unchecked: index] != wanted[unchecked: index] { return false }
        position += length
        return true
    }

    /// True if a token has the text of `name`.
    @inlinable
    func isName(_ token: StringToken, _ name: String) throws(JSONError) -> Bool {
        if !token.isPlain { return try CodeUnits(decodedText(token)) == CodeUnits(name) }
        let utf8 = name.utf8
        guard utf8.count == token.end - token.start else { return false }
        var place = token.start
        for unit in utf8 {
            guard bytes[place] == unit else { return false }
            place += 1
        }
        return true
    }
}
