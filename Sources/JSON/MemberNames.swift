/// The names that the members of an object may have, of which there are 64 at the most, as they stand in a document that a program wrote.
public struct MemberNames: Sendable {
    @usableFromInline let texts: [String]
    /// Each in its quotation marks and with its colon, one after another, so that it is found by a look at the bytes. A name that needs escapes
    /// never stands as it is, and has no bytes here.
    @usableFromInline let written: [UInt8]
    /// Where each begins there, and where the last ends.
    @usableFromInline let bounds: [Int]

    /// Names in the order in which they are most often written.
    public init(_ texts: [String]) {
        var written: [UInt8] = []
        var bounds = [0]
        for text in texts {
            if !text.utf8.contains(where: \.isMarkedInStrings) { written += Array("\"\(text)\":".utf8) }
            bounds.append(written.count)
        }
        self.texts = texts
        self.written = written
        self.bounds = bounds
    }
}

extension JSONReader {
    /// Takes a member's name and the colon after it.
    @inlinable
    mutating func name() throws(JSONError) -> StringToken {
        guard next() == UInt8(ascii: "\"") else { throw unexpected("a member's name in quotation marks") }
        let token = try stringToken()
        try take(UInt8(ascii: ":"))
        return token
    }

    /// The text of a token.
    @inlinable
    func text(_ token: StringToken) throws(JSONError) -> String {
        token.isPlain ? plainText(token) : try decodedText(token)
    }

    /// Takes a name and its colon if they stand here just as they are asked for: nearly always, where a program wrote the document.
    @inlinable
    mutating func takeName(_ name: String) -> Bool {
        guard next() == UInt8(ascii: "\""), bytes.count - position > name.utf8.count + 2 else { return false }
        let start = position + 1
        let length = name.utf8.count
        guard bytes[start + length] == UInt8(ascii: "\""), bytes[start + length + 1] == UInt8(ascii: ":") else { return false }
        var text = name
        let isSame = text.withUTF8 { utf8 in
            var index = 0
            // A name that needs escapes never stands as it is.
            while index < length, unsafe bytes[unchecked: start + index] == utf8[index], unsafe !utf8[index].isMarkedInStrings {
                index += 1
            }
            return index == length
        }
        guard isSame else { return false }
        position = start + length + 2
        return true
    }

    /// Takes one of some names and its colon if that stands here as it is, where no whitespace is left before it.
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

    /// Whether a token is a name.
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
