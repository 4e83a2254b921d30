/// One block of an event stream: an event, a comment, or the time to reconnect after.
struct StreamBlock: Equatable, CustomStringConvertible {
    var name: String?
    var id: String?
    var data: String?
    private(set) var isRetry = false
    private(set) var isComment = false

    init(name: String? = nil, id: String? = nil, data: String?) {
        self.name = name
        self.id = id
        self.data = data
    }

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
            if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
            if line.hasPrefix("data: ") { data = String(line.dropFirst(6)) }
            if line.hasPrefix("retry: ") { isRetry = true }
            if line.hasPrefix(":") { isComment = true }
        }
    }

    static let reset = StreamBlock(name: "reset", data: "{}")

    /// The versions of the id.
    var versions: String? { id.flatMap { $0.split(separator: "-", maxSplits: 1).first.map(String.init) } }
    /// The rest of the id.
    var opaque: String? { id.map { String($0.drop { $0 != "-" }.dropFirst()) } }

    var description: String { "\(name ?? "message") \(id ?? "-") \(data ?? "-")" }
}
