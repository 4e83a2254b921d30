import JSON

/// The command `headwater explain`: the reason that a request was refused, or slow, in words.
struct Explanation {
    private let request: String
    private let server: ServerAddress
    private let token: String?

    /// Reads `ID [--server URL]`. The token comes from the environment.
    init(_ arguments: [String], _ environment: [String: String]) throws(CommandFault) {
        var words: [String] = []
        var address: String?
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word == "--server" || word.hasPrefix("--server=") {
                let value = word == "--server" ? rest.popFirst() : String(word.dropFirst("--server=".count))
                guard let value, !value.isEmpty else { throw CommandFault("--server takes a URL") }
                address = value
            } else if word.hasPrefix("--") {
                throw CommandFault("explain has no option \(word): see \(ProgramName.text) help explain")
            } else {
                words.append(word)
            }
        }
        guard words.count == 1, (1...128).contains(words[0].utf8.count),
            words[0].utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw CommandFault("explain takes the id of a request, as X-Request-Id has it") }
        request = words[0]
        token = environment["HEADWATER_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        guard let address else {
            server = ServerAddress(environment)
            return
        }
        guard let (parsed, path) = ServerAddress.parse(address), path.isEmpty || path == "/" else {
            throw CommandFault("--server takes a URL such as http://127.0.0.1:8080, not \"\(address)\"")
        }
        server = parsed
    }

    /// Asks the server, and writes the reason to standard output.
    func run() throws(CommandFault) {
        let (status, content) = try server.content(of: "/v1/requests/\(Self.encoded(request))/why", token: token)
        let json: JSON
        do throws(JSONError) {
            json = try JSON(parsing: content)
        } catch {
            throw CommandFault("\(server): the answer is not JSON (status \(status))")
        }
        guard status == 200 else {
            var detail = "status \(status)"
            if case .string(let words)? = json["detail"] { detail = words }
            throw CommandFault("\(detail)")
        }
        StandardStreams.print(Self.words(json))
    }

    /// Returns a text with %XX for each byte that a path segment may not have.
    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 65...90, 97...122, 48...57, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The reason in lines, the most important first.
    static func words(_ json: JSON) -> String {
        func text(_ value: JSON?) -> String? {
            switch value {
            case .string(let text)?: text
            case nil, .null?: nil
            case let value?: "\(value)"
            }
        }
        var lines: [String] = []
        let subject = text(json["by"]?["sub"]) ?? ""
        let what = [text(json["name"]), text(json["space"]).map { "in the space \($0)" }].compactMap(\.self)
        lines.append("\(text(json["status"]) ?? "") \(text(json["title"]) ?? "slow"): \(what.joined(separator: " "))")
        if let detail = text(json["detail"]) { lines.append("  \(detail)") }
        if let reason = json["reason"] {
            let place = text(reason["pointer"]) ?? text(reason["place"]) ?? ""
            lines.append("  \(text(reason["kind"]) ?? "") of \(text(reason["feature"]) ?? ""): \(place)")
            if let formula = text(reason["text"]) { lines.append("    \(formula)") }
        }
        if let pointer = text(json["pointer"]) { lines.append("  in the input: \(pointer)") }
        if let used = json["used"] {
            lines.append("  used: \(text(used["steps"]) ?? "0") steps, \(text(used["rows"]) ?? "0") rows")
        }
        if case .object(let times)? = json["milliseconds"] {
            lines.append("  milliseconds: " + times.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        }
        lines.append("  by \"\(subject)\" at \(text(json["at"]) ?? ""), \(text(json["path"]) ?? "")")
        return lines.joined(separator: "\n")
    }
}
