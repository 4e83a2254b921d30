/// The names that the members of an object may have (at most 64), precomputed as they occur in documents from a
/// program.
@usableFromInline
package struct MemberNames: Sendable {
    @usableFromInline let texts: [String]
    /// Each name in quotation marks with its colon, concatenated, so that a comparison of bytes finds it. A name that
    /// needs escapes never occurs verbatim and has no bytes here.
    @usableFromInline let written: [UInt8]
    /// The start offset of each name in `written`, and the end of the last name.
    @usableFromInline let bounds: [Int]

    /// Creates the list; the order of `texts` is the order in which members are usually written.
    package init(_ texts: [String]) {
        var written: [UInt8] = []
        var bounds = [0]
        for text in texts {
            if !text.utf8.contains(where: \.isMarkedInStrings) { written += Array("\"\(text)\":".utf8) }
            bounds.append(written.count)
        }
        self.texts = texts
        self.written = written
        self.bounds = bounds
    }
}
