import Ground
import Expressions

/// The digests of the scripts that stand within a page, as a Content-Security-Policy names them (CSP 3, section 2.3.1).
///
/// The page's owner wrote these scripts into the file, so a browser may run them. Any other script within the page, such
/// as one that a view's value brings, has another digest and does not run.
enum InlineScripts {
    /// The scripts of one page whose digests fit a header field; a page with more runs only the first ones.
    static let scriptsLimit = 64

    /// Returns the sources for `script-src`, each after a space.
    static func sources(in page: [UInt8]) -> String {
        var bytes = normalized(page)[...]
        var sources = ""
        for _ in 0..<scriptsLimit {
            guard let script = next(&bytes) else { break }
            sources += " 'sha256-\(Base64.encode(SHA256.digest(script)))'"
        }
        return sources
    }

    /// Returns the page as a browser reads it: UTF-8 without a mark, each line end one LF (HTML, section 13.2.3.5).
    private static func normalized(_ page: [UInt8]) -> [UInt8] {
        let text = page.starts(with: [0xEF, 0xBB, 0xBF]) ? page.dropFirst(3) : page[...]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        for index in text.indices {
            if text[index] != 0x0D { bytes.append(text[index]) }
            if text[index] == 0x0D, index + 1 == text.endIndex || text[index + 1] != 0x0A { bytes.append(0x0A) }
        }
        return Array(String(decoding: bytes, as: UTF8.self).utf8)
    }

    /// Removes everything up to the end of the next script element, and returns the element's text.
    private static func next(_ page: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        while skip(past: "<script", in: &page) != nil {
            // `<scripts>` is another element.
            guard let after = page.first, [0x09, 0x0A, 0x0C, 0x20, 0x2F, 0x3E].contains(after) else { continue }
            skipTag(&page)
            return skip(past: "</script", in: &page)
        }
        return nil
    }

    /// Removes everything up to the end of `mark` in any case, and returns the part before it.
    private static func skip(past mark: StaticString, in page: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let bytes = page
        while let open = page.firstIndex(of: UInt8(ascii: "<")) {
            page = page[open...]
            let isMark = mark.withUTF8Buffer { mark in
                zip(mark, page).allSatisfy { $0 == ($1 > 0x40 ? $1 | 0x20 : $1) } && page.count >= mark.count
            }
            page = page.dropFirst(isMark ? mark.utf8CodeUnitCount : 1)
            if isMark { return bytes[..<open] }
        }
        page = []
        return nil
    }

    /// Removes the rest of a tag. A `>` between quotation marks belongs to an attribute.
    private static func skipTag(_ page: inout ArraySlice<UInt8>) {
        var quotation: UInt8?
        while let byte = page.popFirst() {
            if let mark = quotation {
                if byte == mark { quotation = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quotation = byte
            } else if byte == UInt8(ascii: ">") {
                return
            }
        }
    }
}
