import HTTP
import JSON

/// Why a request was not done, as RFC 9457 has it said.
struct Problem {
    /// A kind of problem: its name, which is a part of the contract, its title, its status.
    struct Kind: Hashable {
        let name: String
        let title: String
        let status: Int

        init(_ status: Int, _ name: String, _ title: String) {
            self.name = name
            self.title = title
            self.status = status
        }

    }

    let kind: Kind
    /// What happened, in words that a person can act on.
    let detail: String
    /// Where in the body.
    var pointer: String?
    /// What would be allowed.
    var allowed: [String] = []
    /// More that a program may want to know.
    var extra: JSON.Object = JSON.Object()
    /// The reason in words that only the log is told: it may name a file of this machine.
    var reason: String?
    /// After how many seconds to try again.
    var retryAfter: Int?

    init(_ kind: Kind, _ detail: String, at pointer: String? = nil, allowed: [String] = [], retryAfter: Int? = nil) {
        self.kind = kind
        self.detail = detail
        self.pointer = pointer
        self.allowed = allowed
        self.retryAfter = retryAfter
    }

    var status: Status { Status(kind.status) }

    /// The whole of it.
    var json: JSON {
        var object = JSON.Object()
        object["type"] = .string("/problems/\(kind.name)")
        object["title"] = .string(kind.title)
        object["status"] = .number(Decimal(kind.status))
        object["detail"] = .string(detail)
        if let pointer { object["pointer"] = .string(pointer) }
        if !allowed.isEmpty { object["allowed"] = .array(allowed.map { .string($0) }) }
        for member in extra { object[member.key] = member.value }
        return .object(object)
    }

    var bytes: [UInt8] { json.written }
}

extension JSON {
    /// The bytes of the value. A value of a client's may lie deeper in an answer than it may in a body, so the writer allows the greatest depth there is;
    /// a part beyond that is written as null.
    var written: [UInt8] {
        var writer = JSONWriter(depth: JSONReader.greatestDepthLimit)
        write(to: &writer)
        return writer.bytes
    }
}
