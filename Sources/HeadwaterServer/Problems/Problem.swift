import Ground
import HTTP
import JSON
import StateStore

/// The reason why a request was not performed, as a problem document (RFC 9457).
struct Problem {
    /// A rule that refused.
    enum RefusingRule {
        /// The rule of an action, by its place.
        case ofAction(String)
        /// A rule of a view, by the name of the view.
        case ofView(String)
    }

    let kind: ProblemType
    /// The cause and the remedy in words.
    let detail: String
    /// The JSON Pointer to the faulty part of the body.
    var pointer: String?
    /// The values that would be allowed.
    var allowed: [String] = []
    /// Further members for programs.
    var extra: JSON.Object = JSON.Object()
    /// The reason for the log only: it can name a file of this machine.
    var reason: String?
    /// The rule that refused, for the log only.
    var rule: RefusingRule?
    /// The part of a feature that refused, for administrators only.
    var cause: RejectionCause?
    /// True if the caller lacks a right, which the detail says.
    var isOfRights = false
    /// The seconds after which a repeat makes sense.
    var retryAfter: Int?

    init(
        _ kind: ProblemType, _ detail: ProblemText, at pointer: String? = nil, allowed: [String] = [],
        retryAfter: Int? = nil
    ) {
        self.kind = kind
        self.detail = detail.text
        self.pointer = pointer
        self.allowed = allowed
        self.retryAfter = retryAfter
    }

    /// A problem with further members for programs.
    init(_ kind: ProblemType, _ detail: ProblemText, _ extra: JSON.Object) {
        self.init(kind, detail)
        self.extra = extra
    }

    var status: Status { Status(kind.status) }

    /// The greatest number of elements of a list.
    static let elementsLimit = 100

    /// The document. It repeats no more than parts of the request.
    var json: JSON {
        var object = JSON.Object()
        object["type"] = .string("/problems/\(kind.name)")
        object["title"] = .string(kind.title)
        object["status"] = .number(Decimal(kind.status))
        object["detail"] = .string(detail)
        if let pointer { object["pointer"] = .string(pointer.excerpt) }
        if !allowed.isEmpty { object["allowed"] = Self.bounded(.array(allowed.map { .string($0) })) }
        if allowed.count > Self.elementsLimit { object["allowedCount"] = .number(Decimal(allowed.count)) }
        for member in extra { object[member.key] = Self.bounded(member.value, isDetail: member.key == "detail") }
        return .object(object)
    }

    /// Returns a value with its texts and lists cut.
    private static func bounded(_ value: JSON, isDetail: Bool = false) -> JSON {
        switch value {
        case .string(let text): return .string(isDetail ? ProblemText(text).text : text.excerpt)
        case .array(let elements): return .array(elements.prefix(elementsLimit).map { bounded($0) })
        case .object(let members):
            var object = JSON.Object()
            for member in members { object[member.key] = bounded(member.value, isDetail: member.key == "detail") }
            return .object(object)
        default: return value
        }
    }

    var bytes: [UInt8] { json.written }

    /// The event `error` with this problem, the last of a stream.
    var piece: Piece { .event(name: "error", data: bytes) }
}

extension JSON {
    /// The value as bytes. A client's value can lie deeper in an answer than a body allows, so the writer uses the
    /// greatest depth limit. A part beyond that limit is written as null.
    var written: [UInt8] {
        var writer = JSONWriter(depth: JSONReader.greatestDepthLimit)
        write(to: &writer)
        return writer.bytes
    }
}
