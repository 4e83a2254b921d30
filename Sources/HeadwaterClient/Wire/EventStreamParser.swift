/// A parser of server-sent events (WHATWG HTML §9.2.6). It is fed with bytes, in pieces of any size.
package struct EventStreamParser {
    /// One event: its name, empty for unnamed events, and its data.
    package struct StreamMessage: Equatable {
        package var name = ""
        package var data: [UInt8] = []
    }

    /// The event is longer than the limit.
    package struct TooLong: Error {}

    /// The maximum size of the lines of one event, in bytes.
    package static let bytesLimit = 64 << 20

    private let bytesLimit: Int
    private var line: [UInt8] = []
    private var message = StreamMessage()
    private var hasData = false
    private var isAfterReturn = false
    private var isFirstLine = true

    /// A parser at the beginning of a stream.
    package init(bytesLimit: Int = EventStreamParser.bytesLimit) {
        self.bytesLimit = bytesLimit
    }

    /// Takes bytes, and returns the events that they complete. Comments complete nothing.
    package mutating func feed(_ bytes: [UInt8]) throws(TooLong) -> [StreamMessage] {
        var messages: [StreamMessage] = []
        for byte in bytes {
            defer { isAfterReturn = byte == UInt8(ascii: "\r") }
            switch byte {
            // A line ends with CR, LF or CRLF.
            case UInt8(ascii: "\n") where isAfterReturn: continue
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"):
                if let message = endLine() { messages.append(message) }
            default:
                guard line.count + message.data.count < bytesLimit else { throw TooLong() }
                line.append(byte)
            }
        }
        return messages
    }

    private mutating func endLine() -> StreamMessage? {
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else {
            defer { (message, hasData) = (StreamMessage(), false) }
            return hasData ? message : nil
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": message.name = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { message.data.append(UInt8(ascii: "\n")) }
            message.data += value
            hasData = true
        default: break
        }
        return nil
    }
}
