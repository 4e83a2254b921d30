extension StringProtocol {
    /// The text, cut after 200 characters with an ellipsis: as much of a request as a message repeats.
    package var excerpt: String { excerpt(200) }

    /// Returns the text, cut with an ellipsis after some characters, or before the one that has more than four bytes for
    /// each of them: a single character can have any number of bytes. No character is split.
    package func excerpt(_ count: Int) -> String {
        // A character has at least one byte.
        guard utf8.count > count else { return String(self) }
        var (end, characters, bytes) = (startIndex, 0, 0)
        while end < endIndex {
            let next = index(after: end)
            characters += 1
            bytes += utf8.distance(from: end, to: next)
            guard characters <= count, bytes <= 4 * count else { return self[..<end] + "…" }
            end = next
        }
        return String(self)
    }
}
