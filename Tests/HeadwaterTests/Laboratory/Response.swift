import JSON

/// A parsed answer.
struct Response: CustomStringConvertible {
    let version: String
    let status: Int
    let fields: [(name: String, value: String)]
    var body: [UInt8] = []

    init(head: String) throws {
        var lines = head.split(separator: "\r\n").map(String.init)
        let words = lines.removeFirst().split(separator: " ", maxSplits: 2)
        guard words.count >= 2, let status = Int(words[1]) else { throw Trouble("no answer: \(head)") }
        version = String(words[0])
        self.status = status
        fields = try lines.map { line in
            guard let colon = line.firstIndex(of: ":") else { throw Trouble("no field: \(line)") }
            return (String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
    }

    /// The values of a field as one list; nil if the field is absent.
    subscript(name: String) -> String? {
        let values = fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    var json: JSON {
        get throws { try JSON(parsing: body) }
    }

    /// The tag in ETag, without its quotation marks.
    var tag: String { String((self["ETag"] ?? "").drop { $0 == "\"" }.prefix { $0 != "\"" }) }

    /// The part of a view's tag that is compared.
    var opaque: String { String(tag.drop { $0 != "-" }.dropFirst()) }

    /// Returns true if the answer is a problem of the given type with all members of the contract.
    func isProblem(_ name: String, _ status: Int) throws -> Bool {
        let json = try json
        guard case .string(let title)? = json["title"], case .string(let detail)? = json["detail"] else { return false }
        return self.status == status && self["Content-Type"] == "application/problem+json"
            && json["type"] == .string("/problems/\(name)")
            && json["status"] == .number(Decimal(status)) && !title.isEmpty && !detail.isEmpty
    }

    var description: String { "\(status) \(fields.map { "\($0.name): \($0.value)" }) \(text)" }
}

extension JSON {
    /// The value as an integer.
    var string: String? { if case .string(let text) = self { text } else { nil } }
    var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
    var integer: Int? { if case .number(let number) = self { Int("\(number)") } else { nil } }
}

/// A server-sent event, parsed as a browser does.
struct Event: Equatable {
    var id: String?
    var name: String?
    var data: String?
    var retry: String?
    var comment: String?

    /// The part of a view's tag that is compared.
    var opaque: String { String((id ?? "").drop { $0 != "-" }.dropFirst()) }

    init(_ block: String) {
        for line in block.split(separator: "\n") {
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            let rest = line[colon...].dropFirst()
            let value = String(rest.first == " " ? rest.dropFirst() : rest)
            switch line[..<colon] {
            case "id": id = value
            case "event": name = value
            case "retry": retry = value
            case "data": data = data.map { $0 + "\n" + value } ?? value
            case "": comment = value
            default: break
            }
        }
    }
}
