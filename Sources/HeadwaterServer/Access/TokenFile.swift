/// The parser of the token file. Each line has the SHA-256 of a token in hexadecimal digits, its rights, and optionally
/// the patterns of its spaces; commas separate rights and patterns. `#` begins a comment.
///
///     # printf %s 'the secret' | sha256sum
///     368a693d784c7d1957ec748148a5de1e1f2e97f1f6360c69b0cfcf6471bbbf07  read,act  alice-*,shared
enum TokenFile {
    /// Parses the tokens in `text`. Throws for the first malformed line.
    static func parse(_ text: String) throws(CommandFault) -> [Token] {
        var tokens: [Token] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            if words.isEmpty { continue }
            let place = "line \(index + 1)"
            guard words.count == 2 || words.count == 3 else {
                throw CommandFault(
                    "\(place): a line has a SHA-256, rights (read, act, admin) and optionally patterns of spaces")
            }
            guard let digest = digest(words[0]) else {
                throw CommandFault("\(place): a token is written as its SHA-256 in 64 hexadecimal digits")
            }
            var rights: [Right] = []
            for name in words[1].split(separator: ",") {
                guard let right = Right(name) else {
                    throw CommandFault("\(place): \(name) is not a right: use read, act or admin")
                }
                rights.append(right)
            }
            guard let right = rights.max() else { throw CommandFault("\(place): at least one right is required") }
            let patterns = words.count == 3 ? words[2].split(separator: ",").map(String.init) : ["*"]
            guard patterns.allSatisfy({ $0.utf8.count <= 128 && $0.utf8.count { $0 == UInt8(ascii: "*") } <= 4 }) else {
                throw CommandFault("\(place): a pattern has at most 128 characters, and * at most four times")
            }
            tokens.append(Token(digest: digest, right: right, patterns: patterns))
        }
        return tokens
    }

    private static func digest(_ text: Substring) -> [UInt8]? {
        let digits = text.utf8.compactMap { byte in Character(UnicodeScalar(byte)).hexDigitValue }
        guard text.utf8.count == 64, digits.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
