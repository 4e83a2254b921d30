internal import StateStore

/// The kinds of rejections, in the order of their numbers in messages.
private let kinds: [Rejection.Kind] = [.malformed, .invalid, .conflict, .forbidden]

extension EntryWriter {
    /// Writes a rejection without its place.
    mutating func rejection(_ rejection: Rejection) {
        byte(kinds.firstIndex(of: rejection.kind).map { UInt8($0) } ?? 0)
        text(rejection.description)
    }
}

extension EntryReader {
    mutating func rejection() throws(EntryFault) -> Rejection {
        let index = Int(try byte())
        guard index < kinds.count else { throw .malformed }
        return Rejection(kinds[index], try text())
    }
}
