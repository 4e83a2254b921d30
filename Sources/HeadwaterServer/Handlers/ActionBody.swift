import HTTP
import JSON
import StateStore

/// The body of a request that sends JSON.
enum ActionBody {
    private static let json = Array("application/json".utf8)
    private static let commentedJSON = Array("application/jsonc".utf8)

    /// Returns true if the request says that its body is JSON in no content coding, or has none; else answers 415. A
    /// path of documents permits JSON with comments too.
    static func isJSON(
        _ request: borrowing Request, permitsComments: Bool = false, _ responder: Responder
    ) -> Bool {
        if request.body.isEmpty { return true }
        guard !request.has(.contentEncoding) || isPlain(request) else {
            responder.answer(
                Problem(.codedBody, "send the body as it is, without Content-Encoding", allowed: ["identity"])
            ) { $0.field("Accept-Encoding", "identity") }
            return false
        }
        if hasType(json, request) || permitsComments && hasType(commentedJSON, request) { return true }
        responder.answer(
            Problem(
                .notJSONType, "send the body with Content-Type: application/json; curl --json '…' does",
                allowed: ["application/json"] + (permitsComments ? ["application/jsonc"] : [])))
        return false
    }

    private static let lines = Array("application/x-ndjson".utf8)

    /// Returns true if the request says that its body is lines of JSON in no content coding; else answers 415.
    static func hasLines(_ request: borrowing Request, _ responder: Responder) -> Bool {
        if request.body.isEmpty || hasType(lines, request) && (!request.has(.contentEncoding) || isPlain(request)) {
            return true
        }
        responder.answer(
            Problem(
                .notJSONType, "send lines with Content-Type: application/x-ndjson, without Content-Encoding",
                allowed: ["application/x-ndjson"]))
        return false
    }

    /// Takes one action of the subject's rate, and reads the body as documents. If it is not JSON, answers why, with the
    /// line, and returns nil.
    static func documents(
        of request: borrowing Request, _ responder: Responder
    ) -> (body: DocumentBody, responder: Responder)? {
        guard let responder = responder.takingAction(bytes: request.body.count),
            isJSON(request, permitsComments: true, responder)
        else { return nil }
        let text = request.content ?? []
        do throws(JSONError) {
            return (try DocumentBody(text, hasComments: hasType(commentedJSON, request)), responder)
        } catch {
            responder.answer(DocumentBody.problem(error, in: text))
            return nil
        }
    }

    /// Takes one action of the subject's rate, and reads the body. If it is not JSON, answers why, and returns nil.
    static func json(
        of request: borrowing Request, _ responder: Responder
    ) -> (content: JSON, responder: Responder)? {
        guard let responder = responder.takingAction(bytes: request.body.count), isJSON(request, responder) else {
            return nil
        }
        do throws(JSONError) {
            return (try JSON(parsing: request.content ?? []), responder)
        } catch {
            responder.answer(Problem(Rejection(error)))
            return nil
        }
    }

    /// Reads a body that is an object of some members; without a body it has none. If it is not, answers why, and returns
    /// nil.
    static func object(
        of request: borrowing Request, _ members: [String], _ responder: Responder
    ) -> (bytes: [UInt8]?, object: JSON.Object)? {
        let bytes = request.content
        let content: JSON
        do throws(JSONError) {
            content = if let bytes { try JSON(parsing: bytes) } else { [:] }
        } catch {
            responder.answer(Problem(Rejection(error)))
            return nil
        }
        guard case .object(let object) = content else {
            responder.answer(Problem(.invalid, "the body must be an object", at: ""))
            return nil
        }
        for member in object where !members.contains(member.key) {
            let pointer = "\(JSONPointer([member.key]))"
            responder.answer(
                Problem(.invalid, "there is no member of this name", at: pointer, allowed: members))
            return nil
        }
        return (bytes, object)
    }

    /// Returns true if every content coding of the body is `identity`.
    private static func isPlain(_ request: borrowing Request) -> Bool {
        guard let codings = request.field(.contentEncoding) else { return true }
        return codings.split { $0 == "," || $0 == " " || $0 == "\t" }.allSatisfy { $0.lowercased() == "identity" }
    }

    private static func hasType(_ wanted: [UInt8], _ request: borrowing Request) -> Bool {
        if request.is(.contentType, wanted) { return true }
        guard
            let type = request.field(.contentType)?.utf8.prefix(while: {
                $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09
            })
        else {
            return false
        }
        return type.elementsEqual(wanted) { $0 == $1 || (65...90).contains($0) && $0 | 0x20 == $1 }
    }
}
