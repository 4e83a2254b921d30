/// Why a document was refused, and where.
public struct JSONError: Error, Hashable, Sendable {
    /// What was wrong.
    public enum Reason: Hashable, Sendable {
        /// The document ends inside a value.
        case unexpectedEnd
        /// A byte that cannot stand here, and what could.
        case unexpected(UInt8, expected: String)
        /// A byte order mark before the value (RFC 8259 §8.1).
        case byteOrderMark
        /// Arrays and objects lie within one another deeper than allowed.
        case tooDeep(limit: Int)
        /// A control character in a string that is not escaped (RFC 8259 §7).
        case controlCharacter(UInt8)
        /// A backslash that no escape of RFC 8259 §7 follows.
        case invalidEscape
        /// Half of an escaped surrogate pair (RFC 7493 §2.1).
        case loneSurrogate
        /// Bytes that are not UTF-8 (RFC 7493 §2.1).
        case invalidUTF8
        /// A name that its object has already (RFC 7493 §2.3).
        case duplicateMember(String)

        /// A number that cannot be kept exactly: too many digits, or beyond the range of a double.
        case numberNotExact
        /// A number that the type asked for does not hold.
        case numberOutOfRange(type: String)
        /// A value of another kind than asked for.
        case wrongKind(JSON.Kind, expected: String)
        /// A member that must be there and is not.
        case missingMember(String)
        /// A member that nobody asks for.
        case unknownMember(String)
        /// What the one who reads demands of the value beyond its type, in words that follow "the value …".
        case refused(String)
        /// A double that JSON cannot write: infinite, or not a number.
        case notFinite

        /// Whether this is no I-JSON at all, as opposed to a document that says something unwelcome.
        public var isSyntax: Bool {
            switch self {
            case .unexpectedEnd, .unexpected, .byteOrderMark, .tooDeep, .controlCharacter, .invalidEscape, .loneSurrogate, .invalidUTF8,
                .duplicateMember:
                true
            case .numberNotExact, .numberOutOfRange, .wrongKind, .missingMember, .unknownMember, .refused, .notFinite: false
            }
        }
    }

    /// What was wrong.
    public let reason: Reason
    /// The byte of the document at which it showed.
    public let offset: Int
    /// The value that it showed in.
    public internal(set) var pointer: JSONPointer

    /// An error at a byte; `init(parsing:)` adds the pointer.
    public init(_ reason: Reason, at offset: Int, pointer: JSONPointer = JSONPointer()) {
        self.reason = reason
        self.offset = offset
        self.pointer = pointer
    }
}

extension JSONError: CustomStringConvertible {
    /// What was wrong and where, in words.
    public var description: String {
        let place = pointer.tokens.isEmpty ? "" : " in \(pointer)"
        return "\(reason) (byte \(offset)\(place))"
    }
}

extension JSONError.Reason: CustomStringConvertible {
    /// What was wrong, in words.
    public var description: String {
        switch self {
        case .unexpectedEnd: "the JSON ends too early"
        case .unexpected(let byte, let expected): "\(Self.name(byte)) stands where \(expected) is expected"
        case .byteOrderMark: "the JSON starts with a byte order mark; send it without"
        case .tooDeep(let limit): "arrays and objects are nested more than \(limit) deep"
        case .controlCharacter(let byte): "the control character \(Self.name(byte)) in a string must be escaped"
        case .invalidEscape: "a backslash in a string must be followed by one of \" \\ / b f n r t, or u and four hexadecimal digits"
        case .loneSurrogate: "an escaped surrogate stands without its other half"
        case .invalidUTF8: "the text is not valid UTF-8"
        case .duplicateMember(let name): "the member \"\(name)\" is there twice"
        case .numberNotExact: "the number has more digits than can be kept exactly (18), or is too large or too small"
        case .numberOutOfRange(let type): "the number does not fit \(type)"
        case .wrongKind(let kind, let expected): "\(kind.phrase) stands where \(expected) is expected"
        case .missingMember(let name): "the member \"\(name)\" is missing"
        case .unknownMember(let name): "the member \"\(name)\" is not known here"
        case .refused(let demand): "the value \(demand)"
        case .notFinite: "a number that is infinite or no number cannot be written as JSON"
        }
    }

    private static func name(_ byte: UInt8) -> String {
        switch byte {
        case 0x21...0x7E: "'\(Character(Unicode.Scalar(byte)))'"
        case 0x20: "a space"
        default: "byte 0x" + String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
        }
    }
}

extension JSON.Kind {
    /// The kind with its article.
    var phrase: String {
        switch self {
        case .null: "null"
        case .array, .object: "an \(rawValue)"
        case .boolean, .number, .string: "a \(rawValue)"
        }
    }
}
