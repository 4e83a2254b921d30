import HTTP

/// The means by which a ticket's stream goes on after the ticket has ended: a mark after each id.
///
/// The mark is a code of the ticket and the target that only the journal's processes can compute. A client can send it
/// only if it has read a stream that was opened in time.
struct StreamContinuation {
    /// The greatest length of an id that is repeated.
    private static let idBytesLimit = 128

    let mark: EventIDMark
    /// The first bytes of the stream: the id that the client has, so that it has a mark before the first event.
    let opening: [UInt8]

    init(_ mark: EventIDMark, after last: String?) {
        self.mark = mark
        // An id of other characters is none of the server's, and could break the line.
        let isPlain = last.map { $0.utf8.count <= Self.idBytesLimit && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
        opening = EventText.position(id: isPlain ?? false ? last ?? "" : "")
    }
}
