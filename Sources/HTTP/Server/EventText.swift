/// The serialization of server-sent events (HTML, section 9.2).
package enum EventText {
    /// Returns an event: its data, the id that a client sends back when it reconnects, and a name, or nil for a plain
    /// message.
    package static func event(
        id: String? = nil, name: StaticString? = nil, data: [UInt8], appendingTo text: inout [UInt8]
    ) {
        begin(id: id, name: name, appendingTo: &text)
        append(lines: data, to: &text)
        text.append(Octet.lineFeed)
        text.append(Octet.lineFeed)
    }

    /// Returns an event whose data is one line: large data stays where it is.
    package static func event(id: String?, line data: Rope, appendingTo text: inout RopeWriter) {
        begin(id: id, name: nil, appendingTo: &text.text)
        text.append(data)
        text.text.append(Octet.lineFeed)
        text.text.append(Octet.lineFeed)
    }

    private static func begin(id: String?, name: StaticString?, appendingTo text: inout [UInt8]) {
        if let id {
            text.append(contentsOf: idStart)
            text.append(contentsOf: id.utf8)
            text.append(Octet.lineFeed)
        }
        if let name {
            text.append(contentsOf: "event: ".utf8)
            name.withUTF8Buffer { text.append(contentsOf: $0) }
            text.append(Octet.lineFeed)
        }
        text.append(contentsOf: "data: ".utf8)
    }

    /// Appends data. A line break within it would end the field, so each line becomes a separate field.
    private static func append(lines data: [UInt8], to text: inout [UInt8]) {
        let hasBreak = data.contains(Octet.lineFeed) || data.contains(Octet.carriageReturn)
        guard hasBreak else { return text.append(contentsOf: data) }
        var isAfterReturn = false
        for byte in data {
            if byte == Octet.carriageReturn || byte == Octet.lineFeed {
                if !(byte == Octet.lineFeed && isAfterReturn) { text.append(contentsOf: "\ndata: ".utf8) }
                isAfterReturn = byte == Octet.carriageReturn
            } else {
                text.append(byte)
                isAfterReturn = false
            }
        }
    }

    /// The beginning of the line of an id.
    static let idStart = Array("id: ".utf8)

    /// Returns an event without data, which a client does not dispatch: it sets the id that the client sends back when
    /// it reconnects.
    package static func position(id: String) -> [UInt8] { idStart + id.utf8 + [Octet.lineFeed, Octet.lineFeed] }

    /// Appends the delay after which a client reconnects when the stream breaks.
    package static func retry(milliseconds: Int, appendingTo text: inout [UInt8]) {
        text.append(contentsOf: "retry: \(milliseconds)\n\n".utf8)
    }

    /// A comment that keeps proxies from closing an idle connection.
    static let heartbeat = Array(": \n\n".utf8)
}

extension Piece {
    /// An event alone.
    package static func event(id: String? = nil, name: StaticString? = nil, data: [UInt8]) -> Piece {
        var text: [UInt8] = []
        EventText.event(id: id, name: name, data: data, appendingTo: &text)
        return Piece(text)
    }
}
