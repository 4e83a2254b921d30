/// The reason for refusing a document, and the location.
public struct JSONError: Error, Hashable, Sendable {
    /// The reason for refusing a document.
    @usableFromInline
    package enum Reason: Hashable, Sendable {
        /// The document ends inside a value.
        case unexpectedEnd
        /// A byte that the grammar does not permit here, and the expected syntax.
        case unexpected(UInt8, expected: String)
        /// A byte order mark before the value (RFC 8259 §8.1).
        case byteOrderMark
        /// Arrays and objects nest deeper than the limit.
        case tooDeep(limit: Int)
        /// An unescaped control character in a string (RFC 8259 §7).
        case controlCharacter(UInt8)
        /// A backslash without a valid escape after it (RFC 8259 §7).
        case invalidEscape
        /// Half of an escaped surrogate pair (RFC 7493 §2.1).
        case loneSurrogate
        /// Bytes that are not UTF-8 (RFC 7493 §2.1).
        case invalidUTF8
        /// A duplicate name in an object (RFC 7493 §2.3).
        case duplicateMember(String)

        /// A number without an exact form: too many digits, or beyond the range of a double.
        case numberNotExact
        /// A number that the requested type cannot hold.
        case numberOutOfRange(type: String)
        /// A value of another kind than requested.
        case wrongKind(JSON.Kind, expected: String)
        /// A required member that is missing.
        case missingMember(String)
        /// A member that the type does not have.
        case unknownMember(String)
        /// A value that violates a rule beyond its type; the text completes "the value …".
        case refused(String)
        /// A double without a JSON form: infinite or NaN.
        case notFinite

        /// True if the document is not I-JSON; false if it is I-JSON with unacceptable content.
        package var isSyntax: Bool {
            switch self {
            case .unexpectedEnd, .unexpected, .byteOrderMark, .tooDeep, .controlCharacter, .invalidEscape,
                .loneSurrogate, .invalidUTF8,
                .duplicateMember:
                true
            case .numberNotExact, .numberOutOfRange, .wrongKind, .missingMember, .unknownMember, .refused, .notFinite:
                false
            }
        }
    }

    /// The reason for refusing the document.
    @usableFromInline package let reason: Reason
    /// The offset, in bytes, of the error in the document.
    public let offset: Int
    /// The pointer to the value that contains the error.
    public internal(set) var pointer: JSONPointer

    /// Creates an error at a byte offset; `init(parsing:)` adds the pointer.
    @usableFromInline
    package init(_ reason: Reason, at offset: Int, pointer: JSONPointer = JSONPointer()) {
        self.reason = reason
        self.offset = offset
        self.pointer = pointer
    }
}

extension JSONError: CustomStringConvertible {
    /// The reason and the location in English.
    public var description: String {
        let place = pointer.tokens.isEmpty ? "" : " in \(pointer)"
        return "\(reason) (byte \(offset)\(place))"
    }
}

extension JSONError.Reason: CustomStringConvertible {
    /// The reason in English.
    @usableFromInline package var description: String {
        switch self {
        case .unexpectedEnd: "the JSON ends too early"
        case .unexpected(let byte, let expected): "expected \(expected), found \(Self.name(byte))"
        case .byteOrderMark: "the JSON starts with a byte order mark; send it without"
        case .tooDeep(let limit): "arrays and objects are nested more than \(limit) deep"
        case .controlCharacter(let byte): "the control character \(Self.name(byte)) in a string must be escaped"
        case .invalidEscape:
            "a backslash in a string must be followed by one of \" \\ / b f n r t, or u and four hexadecimal digits"
        case .loneSurrogate: "an escaped surrogate lacks its other half"
        case .invalidUTF8: "the text is not valid UTF-8"
        case .duplicateMember(let name): "the member \"\(name)\" occurs twice"
        case .numberNotExact: "the number has more digits than are stored exactly (18), or is too large or too small"
        case .numberOutOfRange(let type): "the number does not fit \(type)"
        case .wrongKind(let kind, let expected): "expected \(expected), found \(kind.phrase)"
        case .missingMember(let name): "the member \"\(name)\" is missing"
        case .unknownMember(let name): "the member \"\(name)\" is unknown"
        case .refused(let demand): "the value \(demand)"
        case .notFinite: "an infinite number or NaN cannot be written as JSON"
        }
    }

    private static func name(_ byte: UInt8) -> String {
        switch byte {
        case 0x21...0x7E: "'\(Character(Unicode.Scalar(byte)))'"
        case 0x20: "a space"
        default:
            "byte 0x" + String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
        }
    }
}

extension JSON.Kind {
    /// The name of the kind, with its article.
    var phrase: String {
        switch self {
        case .null: "null"
        case .array, .object: "an \(rawValue)"
        case .boolean, .number, .string: "a \(rawValue)"
        }
    }
}
