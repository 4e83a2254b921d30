import HTTP
import StateStore

/// The versions at the start of a view's tag: `18.7`, those of the space and of `common` in the answer; for a view of
/// `common` only `7`.
///
/// Within a life they never decrease on one stream.
struct ShownVersions: Hashable, Sendable {
    let version: Int
    /// The version of `common`; nil for views in `common`.
    let common: Int?

    private static let fieldStart = Array("ETag: \"".utf8)

    init(_ moment: Moment, of space: SpaceName) {
        version = space == .common ? moment.common : moment.version
        common = space == .common ? nil : moment.common
    }

    /// Parses the versions; nil if they do not have the form of a tag.
    init?(_ bytes: Span<UInt8>) {
        var dot: Int?
        for index in bytes.indices where bytes[index] == UInt8(ascii: ".") {
            guard dot == nil else { return nil }
            dot = index
        }
        guard let version = Self.number(bytes.extracting(..<(dot ?? bytes.count))) else { return nil }
        self.version = version
        common = dot.flatMap { Self.number(bytes.extracting(($0 + 1)...)) }
        guard dot == nil || common != nil else { return nil }
    }

    /// Parses a number; nil if it is too large, or not in the server's own spelling.
    private static func number(_ digits: Span<UInt8>) -> Int? {
        guard (1...18).contains(digits.count), digits.count == 1 || digits[0] != UInt8(ascii: "0") else { return nil }
        var number = 0
        for index in digits.indices {
            guard (48...57).contains(digits[index]) else { return nil }
            number = number * 10 + Int(digits[index] - 48)
        }
        return number
    }

    /// The text in a tag.
    var text: String { common.map { "\(version).\($0)" } ?? "\(version)" }

    /// Writes the field `ETag`. `end` is the rest of the field after the versions, with its line end.
    @inline(__always)
    func writeTag(_ end: [UInt8], to writer: inout FieldWriter) {
        if let common {
            writer.field(begunAs: Self.fieldStart, version, ".")
            writer.field(begunAs: [], common, end)
        } else {
            writer.field(begunAs: Self.fieldStart, version, end)
        }
    }
}
