import GzipReading
import JSON

/// A check of all bytes that a connection was answered with.
package struct AnswerCheck {
    /// A rule of HTTP, or of the contract, that an answer broke.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    private static let goOn = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    private let bytes: [UInt8]
    private var position = 0
    /// The number of answers by status.
    package private(set) var statuses: [Int: Int] = [:]

    /// Checks that `bytes` are one answer, well formed, for each request in `sent`, in order.
    package init(_ bytes: [UInt8], to sent: [UInt8]) throws(Fault) {
        self.bytes = bytes
        let expected = ExpectedAnswers(to: sent).answers
        var isOver = false
        for (index, answer) in expected.enumerated() {
            // A stream ends its connection, and the requests after it are not answered.
            if isOver { break }
            guard position < bytes.count else { throw fault("request \(index + 1) of \(expected.count) got no answer") }
            isOver = try take(isHead: answer.isHead, status: answer.status)
            if answer.isLast { break }
        }
        // A client that got 100 (Continue) need not send the rest of its request.
        while bytes[position...].starts(with: Self.goOn) { position += Self.goOn.count }
        guard position == bytes.count else {
            throw fault(
                "more than the \(expected.count) answers: \(String(decoding: bytes[position...].prefix(200), as: UTF8.self))"
            )
        }
    }

    private func fault(_ words: String) -> Fault { Fault(description: "\(words) (byte \(position))") }

    /// Reads one answer after any 100 (Continue); returns true if the connection ends with it.
    private mutating func take(isHead: Bool, status expected: Int?) throws(Fault) -> Bool {
        var (status, fields) = try head()
        while status == 100 { (status, fields) = try head() }
        if let expected, expected != status { throw fault("a fault of \(expected) was answered with \(status)") }
        statuses[status, default: 0] += 1
        guard status < 500 || status == 505 else { throw fault("status \(status)") }
        let length = fields["content-length"]
        let isChunked = fields["transfer-encoding"] == "chunked"
        let isStream = fields["content-type"] == "text/event-stream"
        var body: [UInt8] = []
        if isHead || status == 204 || status == 304 {
            guard !isChunked || isHead else { throw fault("\(status) with chunks") }
        } else if isChunked {
            body = try chunks()
        } else if let length {
            guard let count = Int(length), count >= 0, position + count <= bytes.count else {
                throw fault("a length of \(length)")
            }
            body = Array(bytes[position..<position + count])
            position += count
        } else {
            guard isStream else { throw fault("\(status) without a length") }
            body = Array(bytes[position...])
            position = bytes.count
        }
        if !isHead { try check(body, of: status, fields) }
        return !isHead && isStream || fields["connection"] == "close"
    }

    private func check(_ body: [UInt8], of status: Int, _ fields: [String: String]) throws(Fault) {
        let type = fields["content-type"]
        var body = body
        if let coding = fields["content-encoding"] {
            let reader = GzipReader()
            reader.read(body)
            guard coding == "gzip", reader.isValid, reader.isFinished || type == "text/event-stream" else {
                throw fault("\(status) in \(coding), which cannot be read")
            }
            body = reader.content
        }
        let isJSON = type == "application/json" || type == "application/problem+json"
        guard status < 400 || isJSON else { throw fault("\(status) as \(type ?? "nothing")") }
        guard isJSON else { return }
        let json: JSON
        do { json = try JSON(parsing: body, depth: JSONReader.greatestDepthLimit) } catch {
            throw fault("\(status) with no JSON: \(error)")
        }
        guard status >= 400 else { return }
        if type == "application/json" {
            // The error of a message of JSON-RPC.
            guard json["jsonrpc"] == "2.0", case .number? = json["error"]?["code"],
                case .string? = json["error"]?["message"]
            else { throw fault("\(status) as \(type ?? "")") }
            return
        }
        guard json["status"] == .number(Decimal(status)), case .string(let kind)? = json["type"],
            kind.hasPrefix("/problems/"),
            case .string? = json["title"], case .string? = json["detail"]
        else { throw fault("\(status) with a problem that lacks a member") }
    }

    /// Reads the status and the fields, with names in lower case.
    private mutating func head() throws(Fault) -> (Int, [String: String]) {
        let words = try line().split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == "HTTP/1.1", words[1].utf8.count == 3, let status = Int(words[1]) else {
            throw fault("no status line: \(words)")
        }
        var fields: [String: String] = [:]
        while true {
            let text = try line()
            if text.isEmpty { return (status, fields) }
            guard let colon = text.firstIndex(of: ":"), text[text.index(after: colon)...].first == " " else {
                throw fault("no field: \(text)")
            }
            let name = text[..<colon].lowercased()
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 == 0x2D || (0x61...0x7A).contains($0) }) else {
                throw fault("no field: \(text)")
            }
            guard fields[name] == nil || name == "vary" else { throw fault("\(name) twice") }
            fields[name] = String(text[text.index(colon, offsetBy: 2)...])
        }
    }

    private mutating func line() throws(Fault) -> String {
        guard let end = bytes[position...].firstIndex(of: 0x0D), end + 1 < bytes.count, bytes[end + 1] == 0x0A else {
            throw fault("a line without an end")
        }
        defer { position = end + 2 }
        return String(decoding: bytes[position..<end], as: UTF8.self)
    }

    private mutating func chunks() throws(Fault) -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let digits = try line()
            guard let size = Int(digits, radix: 16), size >= 0, position + size + 2 <= bytes.count else {
                throw fault("a chunk of \(digits)")
            }
            body += bytes[position..<position + size]
            position += size
            guard try line().isEmpty else { throw fault("a chunk without an end") }
            if size == 0 { return body }
        }
    }
}
