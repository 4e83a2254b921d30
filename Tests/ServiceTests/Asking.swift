import JSON
import ServiceInProcess

/// An answer to one request.
struct Reply {
    let status: Int
    var fields: [String: String]
    let body: String

    var json: JSON {
        get throws { try JSON(parsing: Array(body.utf8)) }
    }

    subscript(name: String) -> String? { fields[name.lowercased()] }
}

extension ServiceInProcess {
    struct NoAnswer: Error {}

    /// Sends one request with some fields. Without a field of its own, its host is localhost.
    func ask(_ line: String, _ fields: [String: String] = [:], _ body: String = "") throws -> Reply {
        var all = ["Host": "localhost"]
        if !body.isEmpty {
            all["Content-Type"] = "application/json"
            all["Content-Length"] = "\(body.utf8.count)"
        }
        all.merge(fields) { $1 }
        let head = line + " HTTP/1.1\r\n" + all.map { "\($0.key): \($0.value)\r\n" }.sorted().joined() + "\r\n"
        let answer = String(decoding: try answer(to: [Array((head + body).utf8)]), as: UTF8.self)
        guard let end = answer.firstRange(of: "\r\n\r\n") else { throw NoAnswer() }
        let lines = answer[..<end.lowerBound].split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw NoAnswer()
        }
        var found: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstRange(of: ": ") else { throw NoAnswer() }
            // A field that comes several times is a list (RFC 9110, 5.2).
            let (name, value) = (line[..<colon.lowerBound].lowercased(), String(line[colon.upperBound...]))
            found[name] = found[name].map { "\($0), \(value)" } ?? value
        }
        return Reply(status: status, fields: found, body: String(answer[end.upperBound...]))
    }
}
