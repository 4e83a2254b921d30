/// The answer of another node, read from its bytes.
struct ForwardedAnswer {
    let status: Int
    /// The fields that the client gets, each with its line end.
    private(set) var fields: [UInt8] = []
    let body: [UInt8]
    /// True if the owner has not run the request.
    let isNotRun: Bool

    /// The fields that the answering node writes for itself.
    private static let own: Set<String> = [
        "date", "connection", "keep-alive", "transfer-encoding", "server", "x-request-id",
        "cross-origin-resource-policy", "x-content-type-options", "access-control-allow-origin",
        "access-control-expose-headers",
    ]

    /// Reads an answer whose connection has closed; nil if it is not whole.
    init?(_ bytes: [UInt8]) {
        guard let end = Self.endOfHead(bytes) else { return nil }
        var lines = bytes[..<end].split { $0 == 13 || $0 == 10 }[...]
        guard let first = lines.popFirst(), case let parts = first.split(separator: UInt8(ascii: " ")),
            parts.count >= 2, let status = Int(Self.text(parts[1])), (200..<600).contains(status)
        else { return nil }
        self.status = status
        body = Array(bytes[(end + 4)...])
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let name = Self.text(line[..<colon]).lowercased()
            let value = line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") }
            if name == "content-length", Int(Self.text(value)) != body.count { return nil }
            if !Self.own.contains(name) {
                fields += line
                fields += [13, 10]
            }
        }
        isNotRun = status == 503 && Self.text(body[...]).contains("\"/problems/no-owner\"")
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// True if the owner could not tell whether the request was performed.
    var isUnknown: Bool {
        status == 503 && Self.text(body[...]).contains("\"/problems/outcome-unknown\"")
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...(bytes.count - 4)).first {
            bytes[$0] == 13 && bytes[$0 + 1] == 10 && bytes[$0 + 2] == 13 && bytes[$0 + 3] == 10
        }
    }
}
