import HTTP

/// The answers of a broadcaster's current step, encoded once for all requests.
struct StepAnswers {
    /// The fields of an answer up to its tag, and its content.
    struct PreparedAnswer {
        let fields: [UInt8]
        let content: Rope
    }

    private var plain: PreparedAnswer?
    /// The answer in gzip; nil before the first request for it.
    private var gzip: PreparedAnswer?

    /// Returns the answer for a client. `noteTaken` receives the number of newly cached bytes.
    mutating func answer(_ views: TaggedValues, _ exchange: Exchange, noteTaken: (Int) -> Void) -> PreparedAnswer {
        let plain = plain ?? Self.plain(views, noteTaken)
        self.plain = plain
        guard exchange.compresses(plain.content.count) else { return plain }
        if let gzip { return gzip }
        let content = Rope(exchange.gzip(plain.content))
        let made = PreparedAnswer(
            fields: Self.fields(content) + Array("Content-Encoding: gzip\r\n".utf8), content: content)
        gzip = made
        noteTaken(content.count)
        return made
    }

    private static func plain(_ views: TaggedValues, _ noteTaken: (Int) -> Void) -> PreparedAnswer {
        let content = Rope(views.values.content(after: -1))
        if !views.values.isSingle { noteTaken(content.count) }
        return PreparedAnswer(fields: fields(content), content: content)
    }

    private static func fields(_ content: Rope) -> [UInt8] {
        Array(
            "Content-Type: application/json\r\nCache-Control: no-cache\r\nVary: Accept, Accept-Encoding, A-IM\r\nContent-Length: \(content.count)\r\n"
                .utf8)
    }
}
