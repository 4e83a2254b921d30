/// The path of a file below the site's directory. It has no way out: no `..`, no hidden name, no separator within a name.
struct SitePath: Hashable, Sendable {
    /// The greatest number of bytes.
    static let bytesLimit = 1_024

    /// The names, joined by `/`; that of a directory's page ends with `index.html`.
    let file: String
    /// True if the path named a directory: it was empty or ended with `/`.
    let isDirectory: Bool

    /// The path of a target's decoded segments; nil if one of them may not be a name.
    init?(_ segments: [String]) {
        guard let last = segments.last, segments.dropLast().allSatisfy(Self.isName), last.isEmpty || Self.isName(last)
        else { return nil }
        isDirectory = last.isEmpty
        file = (segments.dropLast() + [isDirectory ? "index.html" : last]).joined(separator: "/")
        guard file.utf8.count <= Self.bytesLimit else { return nil }
    }

    /// Returns true for the name of a file that may be served. A name that begins with a dot is hidden: `.`, `..`,
    /// `.git`.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\") }
    }

    /// The target of the same path with `/` at its end.
    var target: String {
        let letters = Array("0123456789ABCDEF".utf8)
        var target = Array("/".utf8)
        for byte in file.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                target.append(byte)
            default: target += [UInt8(ascii: "%"), letters[Int(byte >> 4)], letters[Int(byte & 15)]]
            }
        }
        return String(decoding: target, as: UTF8.self) + "/"
    }
}
