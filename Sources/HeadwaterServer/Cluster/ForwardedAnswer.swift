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
        let head = String(decoding: bytes[..<end], as: UTF8.self)
        var lines = head.split(separator: "\r\n", omittingEmptySubsequences: true)[...]
        guard let first = lines.popFirst(), case let parts = first.split(separator: " "), parts.count >= 2,
            let status = Int(parts[1]), (200..<600).contains(status)
        else { return nil }
        self.status = status
        body = Array(bytes[(end + 4)...])
        var fields = ""
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let name = line[..<colon].lowercased()
            if name == "content-length", Int(line[line.index(after: colon)...].drop { $0 == " " }) != body.count {
                return nil
            }
            if !Self.own.contains(name) { fields += "\(line)\r\n" }
        }
        self.fields = Array(fields.utf8)
        isNotRun = status == 503 && String(decoding: body, as: UTF8.self).contains("\"/problems/no-owner\"")
    }

    /// True if the owner could not tell whether the request was performed.
    var isUnknown: Bool {
        status == 503 && String(decoding: body, as: UTF8.self).contains("\"/problems/outcome-unknown\"")
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...(bytes.count - 4)).first {
            bytes[$0] == 13 && bytes[$0 + 1] == 10 && bytes[$0 + 2] == 13 && bytes[$0 + 3] == 10
        }
    }
}
