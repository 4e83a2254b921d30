import StateStore

/// The parser of the token file. Each line has the SHA-256 of a token in hexadecimal digits, its rights, and optionally
/// the patterns of its spaces and its subject; commas separate rights and patterns. `#` begins a comment.
///
///     # printf %s 'the secret' | sha256sum
///     368a693d784c7d1957ec748148a5de1e1f2e97f1f6360c69b0cfcf6471bbbf07  read,act  alice-*,shared  subject=alice
enum TokenFile {
    /// The word before a subject.
    private static let subjectStart = "subject="

    /// Parses the tokens in `text`. Throws for the first malformed line.
    static func parse(_ text: String) throws(CommandFault) -> [Token] {
        var tokens: [Token] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            if words.isEmpty { continue }
            do throws(CommandFault) {
                tokens.append(try token(words))
            } catch {
                throw CommandFault("line \(index + 1): \(error)")
            }
        }
        return tokens
    }

    private static func token(_ words: [Substring]) throws(CommandFault) -> Token {
        // No name of a space has an equals sign, so a subject is never taken for a pattern.
        let subjects = words.dropFirst(2).filter { $0.hasPrefix(subjectStart) }
        let patterns = words.dropFirst(2).filter { !$0.hasPrefix(subjectStart) }
        guard words.count >= 2, subjects.count <= 1, patterns.count <= 1 else {
            throw CommandFault(
                "a line has a SHA-256, rights (read, act, define, metrics, admin) and optionally patterns of spaces and subject=NAME"
            )
        }
        guard let digest = digest(words[0]) else {
            throw CommandFault("a token is written as its SHA-256 in 64 hexadecimal digits")
        }
        let subject = subjects.first.map { String($0.dropFirst(subjectStart.count)) } ?? ""
        guard subjects.isEmpty || (1...Claims.subjectBytesLimit).contains(subject.utf8.count) else {
            throw CommandFault("a subject has 1 to \(Claims.subjectBytesLimit) bytes")
        }
        var spaces: [SpacePattern] = []
        let rights: Rights
        do throws(PermissionFault) {
            rights = try Rights(names: words[1].split(separator: ","))
            for pattern in patterns.first?.split(separator: ",") ?? [] { spaces.append(try SpacePattern(pattern)) }
        } catch {
            throw CommandFault(error.description)
        }
        guard !rights.isEmpty else { throw CommandFault("at least one right is required") }
        return Token(
            digest: digest, subject: subject, rights: rights, patterns: patterns.isEmpty ? [.any] : spaces)
    }

    private static func digest(_ text: Substring) -> [UInt8]? {
        let digits = text.utf8.compactMap { byte in Character(UnicodeScalar(byte)).hexDigitValue }
        guard text.utf8.count == 64, digits.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
