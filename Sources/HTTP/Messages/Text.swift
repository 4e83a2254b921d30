extension StringProtocol where UTF8View: BidirectionalCollection {
    /// The text without leading and trailing spaces and tabs.
    package var trimmingSpaces: String {
        func isSpace(_ byte: UInt8) -> Bool { byte == Octet.space || byte == Octet.tab }
        guard let first = utf8.firstIndex(where: { !isSpace($0) }) else { return "" }
        var end = utf8.endIndex
        while isSpace(utf8[utf8.index(before: end)]) { end = utf8.index(before: end) }
        return String(self[first..<end])
    }
}
