/// The file that says who may do what. A line for each token: its SHA-256 in hexadecimal digits, its rights, and the spaces it is good for, each set
/// separated by commas; `#` begins a comment.
///
///     # printf %s 'the secret' | sha256sum
///     368a693d784c7d1957ec748148a5de1e1f2e97f1f6360c69b0cfcf6471bbbf07  read,act  alice-*,shared
enum TokenFile {
    /// The tokens that a text names; the first line that is wrong is told in words.
    static func parse(_ text: String) throws(CommandFault) -> [Token] {
        var tokens: [Token] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            if words.isEmpty { continue }
            let place = "line \(index + 1)"
            guard words.count == 2 || words.count == 3 else {
                throw CommandFault("\(place): a line is a SHA-256, rights (read, act, admin) and, unless all are meant, patterns of spaces")
            }
            guard let digest = digest(words[0]) else {
                throw CommandFault("\(place): a token is written as its SHA-256, in 64 hexadecimal digits")
            }
            var rights: [Right] = []
            for name in words[1].split(separator: ",") {
                guard let right = Right(name) else { throw CommandFault("\(place): \(name) is no right: there are read, act and admin") }
                rights.append(right)
            }
            guard let right = rights.max() else { throw CommandFault("\(place): no right is given") }
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
