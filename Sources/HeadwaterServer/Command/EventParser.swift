/// A parser of server-sent events, as the HTML standard describes the stream: it takes bytes in any pieces.
struct EventParser {
    /// An event with data.
    struct ParsedEvent: Hashable {
        /// The name; `message` for an event without one.
        let name: String
        let data: String
    }

    private static let (lineFeed, carriageReturn, colon): (UInt8, UInt8, UInt8) = (0x0A, 0x0D, 0x3A)

    private var line: [UInt8] = []
    private var isFirstLine = true
    /// True after a carriage return, whose line feed belongs to the same end of a line.
    private var isAfterReturn = false
    private var name = ""
    private var data: [String] = []

    /// Takes a piece of the stream, and returns the events that it completes.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [ParsedEvent] {
        var events: [ParsedEvent] = []
        for byte in bytes {
            defer { isAfterReturn = byte == Self.carriageReturn }
            if byte == Self.lineFeed, isAfterReturn { continue }
            guard byte == Self.lineFeed || byte == Self.carriageReturn else {
                line.append(byte)
                continue
            }
            if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
            isFirstLine = false
            if let event = takeLine() { events.append(event) }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }

    /// Takes a line, and returns the event that it ends.
    private mutating func takeLine() -> ParsedEvent? {
        guard !line.isEmpty else {
            defer { (name, data) = ("", []) }
            guard !data.isEmpty else { return nil }
            return ParsedEvent(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
        }
        let end = line.firstIndex(of: Self.colon) ?? line.endIndex
        var value = line[end...].dropFirst()
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        switch String(decoding: line[..<end], as: UTF8.self) {
        case "data": data.append(String(decoding: value, as: UTF8.self))
        case "event": name = String(decoding: value, as: UTF8.self)
        default: break
        }
        return nil
    }
}
