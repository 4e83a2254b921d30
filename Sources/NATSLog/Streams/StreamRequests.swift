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
