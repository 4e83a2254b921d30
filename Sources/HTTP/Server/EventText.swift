/// Server-sent events as they are written (HTML, section 9.2).
public enum EventText {
    /// An event: its data, the id that a client sends back when it returns, and a name where it is no plain message.
    public static func event(
        id: String? = nil, name: StaticString? = nil, data: [UInt8], appendingTo text: inout [UInt8]
    ) {
        if let id {
            text.append(contentsOf: "id: ".utf8)
            text.append(contentsOf: id.utf8)
            text.append(Octet.lineFeed)
        }
        if let name {
            text.append(contentsOf: "event: ".utf8)
            name.withUTF8Buffer { text.append(contentsOf: $0) }
            text.append(Octet.lineFeed)
        }
        text.append(contentsOf: "data: ".utf8)
        // A line's end within the data would end the field: each line is a field of its own.
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
        text.append(Octet.lineFeed)
        text.append(Octet.lineFeed)
    }

    /// After how many milliseconds a client is to come back when the stream breaks.
    public static func retry(milliseconds: Int, appendingTo text: inout [UInt8]) {
        text.append(contentsOf: "retry: \(milliseconds)\n\n".utf8)
    }

    /// A comment, which keeps the proxies on the way from closing an idle connection.
    static let heartbeat = Array(": \n\n".utf8)
}
