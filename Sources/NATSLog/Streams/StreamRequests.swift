import JSON

extension NATSSession {
    /// The time for an answer of JetStream.
    static let patience = Duration.seconds(2)

    /// Sends a request to JetStream's API and calls `done` with the answer. `timeout` is for a machine of usual speed.
    func ask(
        _ method: String, _ body: String, timeout: Duration = patience,
        _ done: @escaping @Sendable (Result<JSON, NATSFault>) -> Void
    ) {
        request("$JS.API.\(method)", Array(body.utf8), timeout: timeout * slowness) { answer in
            done(answer.flatMap { bytes in Result { () throws(NATSFault) in try StreamAnswer.read(bytes) } })
        }
    }

    /// Stores a message in a stream if the last number there is `last`.
    func store(
        _ bytes: [UInt8], at subject: String, in stream: String, _ condition: Field,
        timeout: Duration = patience, _ done: @escaping @Sendable (Result<Int, NATSFault>) -> Void
    ) {
        request(subject, bytes, [condition, ("Nats-Expected-Stream", stream)], timeout: timeout * slowness) { answer in
            done(
                answer.flatMap { bytes in
                    Result { () throws(NATSFault) in try StreamAnswer.number(bytes, in: stream) }
                })
        }
    }

    /// Asks the leader of a stream for its facts. A server that takes part no more can answer first: then it asks again.
    func describe(
        _ stream: String, attempts: Int = 6, _ done: @escaping @Sendable (Result<StreamFacts, NATSFault>) -> Void
    ) {
        ask("STREAM.INFO.\(stream)", "") { [weak self] answer in
            let facts = answer.flatMap { answer in Result { () throws(NATSFault) in try StreamFacts(answer) } }
            if case .success = answer, case .failure(.nobody) = facts, attempts > 1, let self {
                describe(stream, attempts: attempts - 1, done)
            } else {
                done(facts)
            }
        }
    }

    /// Asks the leader of a stream for a message: `"seq":12`, or `"last_by_subj":"…"`.
    func message(
        _ wish: String, of stream: String, _ done: @escaping @Sendable (Result<StoredMessage, NATSFault>) -> Void
    ) {
        ask("STREAM.MSG.GET.\(stream)", "{\(wish)}") { answer in
            done(answer.flatMap { answer in Result { () throws(NATSFault) in try StoredMessage(answer) } })
        }
    }
}

/// A message of a stream, as its leader returns it on request.
struct StoredMessage: Hashable, Sendable {
    /// The number in its stream.
    let number: Int
    /// The payload.
    let bytes: [UInt8]
    /// The time at which it was stored, as text.
    let time: String?

    /// Reads the answer of `STREAM.MSG.GET`.
    init(_ answer: JSON) throws(NATSFault) {
        guard let message = answer["message"], let number = message["seq"]?.count, number > 0,
            let bytes = Self.bytes(message["data"]?.text ?? "")
        else { throw .malformed("not a message of a stream") }
        self.number = number
        self.bytes = bytes
        time = message["time"]?.text
    }

    /// Reads Base64 with padding (RFC 4648, section 4); nil if the text is not that.
    static func bytes(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 4 * 3)
        var word = 0
        var bits = 0
        var letters = 0
        var padding = 0
        for letter in text.utf8 {
            letters += 1
            if letter == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = value(of: letter) else { return nil }
            word = word << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(word >> bits & 255))
                word &= (1 << bits) - 1
            }
        }
        return letters % 4 == 0 && padding <= 2 && word == 0 && bits == padding * 2 ? bytes : nil
    }

    private static func value(of letter: UInt8) -> Int? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(letter - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(letter - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(letter - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

/// The answers of JetStream: an acknowledgement or an API response, in JSON.
enum StreamAnswer {
    /// Reads an answer; throws the server's refusal, or `malformed`.
    static func read(_ bytes: [UInt8]) throws(NATSFault) -> JSON {
        let answer: JSON
        do {
            answer = try JSON(parsing: bytes)
        } catch {
            throw .malformed("\(error.reason)")
        }
        guard case .object = answer else { throw .malformed("not an object") }
        guard let error = answer["error"], error != .null else { return answer }
        throw .refused(
            code: error["err_code"]?.count ?? error["code"]?.count ?? 0, error["description"]?.text ?? "no reason")
    }

    /// Reads the acknowledgement of a publication and returns the number under which the stream has stored it.
    static func number(_ bytes: [UInt8], in stream: String) throws(NATSFault) -> Int {
        let answer = try read(bytes)
        guard let number = answer["seq"]?.count, number > 0, answer["stream"]?.text == stream else {
            throw .malformed("not an acknowledgement of the stream \(stream)")
        }
        return number
    }
}
