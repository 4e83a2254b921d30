/// A view of a space with its parameters, as the wire names it: `main/tasks.list?project=p1`.
package struct ViewAddress: Hashable, Sendable, CustomStringConvertible {
    /// The name of the space.
    package let space: String
    /// The feature and the view, `tasks.list`; of a replica `tasks!replica`.
    package let name: String
    /// The address as the wire has it.
    package let description: String

    /// The address of a view. Parameters are sorted by name, so equal parameters give equal addresses.
    package init(space: String, view name: String, parameters: [(name: String, value: String)] = []) {
        self.space = space
        self.name = name
        let query = parameters.sorted { $0.name < $1.name }
            .map { "\(PercentEncoding.encoded($0.name))=\(PercentEncoding.encoded($0.value))" }
        description =
            "\(PercentEncoding.encoded(space))/\(name)" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// The address of the replica of a feature.
    package static func replica(of feature: String, in space: String) -> ViewAddress {
        ViewAddress(space: space, view: "\(feature)!replica")
    }

    /// True for the replica of a feature.
    package var isReplica: Bool { name.hasSuffix("!replica") }

    /// True if both addresses have one text.
    package static func == (left: Self, right: Self) -> Bool { left.description == right.description }

    /// Hashes the text.
    package func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// Percent-encoding (RFC 3986 §2.1): all but unreserved characters are encoded.
enum PercentEncoding {
    /// Returns the text that `encoded` has written.
    static func decoded(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += "%"
                result.append(digits[Int(byte >> 4)])
                result.append(digits[Int(byte & 15)])
            }
        }
        return result
    }
}
