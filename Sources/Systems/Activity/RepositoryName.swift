import JSON
import StateStore

/// The name of a repository: `owner/name`.
struct RepositoryName: Record {
    var repository = ""

    static let shape = Shape(RepositoryName()) {
        $0.required("repository", \.repository, .repository)
    }
}

extension Constraint where Value == String {
    /// Accepts `owner/name` with the characters that GitHub permits.
    static var repository: Constraint {
        Constraint(
            "must be owner/name, of letters, digits and '-', the name also of '_' and '.'",
            keywords: [("pattern", "^[A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100}$")]
        ) { $0.isRepository ? $0 : nil }
    }

    /// Accepts the name of a programming language.
    static var language: Constraint {
        .line(1...50)
    }
}

extension String {
    /// True if the text can name a repository. No part of it has another meaning in a URL.
    var isRepository: Bool {
        let parts = utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, (1...39).contains(parts[0].count), (1...100).contains(parts[1].count) else {
            return false
        }
        let dot = UInt8(ascii: ".")
        guard !parts[1].allSatisfy({ $0 == dot }) || parts[1].count > 2 else { return false }
        return parts[0].allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") }
            && parts[1].allSatisfy {
                $0.isAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 == dot
            }
    }

    /// The text, percent-encoded for a query (RFC 3986, section 2.1).
    var percentEncoded: String {
        var encoded = ""
        for byte in utf8 {
            if byte.isAlphanumeric || "-._~".utf8.contains(byte) {
                encoded.append(Character(Unicode.Scalar(byte)))
            } else {
                encoded +=
                    "%" + String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}

extension UInt8 {
    fileprivate var isAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
