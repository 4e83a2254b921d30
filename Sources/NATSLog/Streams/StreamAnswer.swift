import JSON

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
