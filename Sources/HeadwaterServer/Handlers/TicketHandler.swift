import Ground
import HTTP
import JSON
import StateStore

/// The handler of tickets, which stand in URLs in place of tokens.
final class TicketHandler {
    /// The greatest length of a path and its query in bytes.
    private static let pathBytesLimit = 8_192

    private let context: ResponseContext
    private let seal: TicketSeal

    init(_ context: ResponseContext, _ seal: TicketSeal) {
        self.context = context
        self.seal = seal
    }

    /// Answers with a ticket for the account of a request. It counts as an action of the account's rate.
    func make(_ request: borrowing Request, _ responder: Responder) {
        guard ActionBody.isJSON(request, responder), let responder = responder.takingAction() else { return }
        let target: [UInt8]?
        do throws(Refused) {
            target = try Self.target(request.content ?? Array("{}".utf8))
        } catch {
            return responder.answer(error.problem)
        }
        let ticket = context.access.ticket(for: responder.account, target: target)
        guard let text = seal.text(of: ticket) else {
            return responder.answer(
                Problem(
                    .invalid, "the token has more than \(TicketSeal.claimsBytesLimit) bytes of claims: send it itself")
            )
        }
        context.audit?.write(responder.event(.ticket))
        let content: JSON = [
            "ticket": .string(text), "expires": .string(RFC3339.text(microseconds: ticket.end.microseconds)),
        ]
        responder.answer(Status(201), "application/json", content.written) { $0.field("Cache-Control", "no-store") }
    }

    private struct Refused: Error {
        let problem: Problem
    }

    /// Returns the digest of the target that the body names; nil for none.
    private static func target(_ body: [UInt8]) throws(Refused) -> [UInt8]? {
        let json: JSON
        do throws(JSONError) {
            json = try JSON(parsing: body)
        } catch {
            throw Refused(problem: Problem(Rejection(error)))
        }
        guard case .object(let object) = json else {
            throw Refused(problem: Problem(.invalid, "the body is an object, {} or {\"path\": \"/v1/…\"}", at: ""))
        }
        for member in object where member.key != "path" {
            throw Refused(
                problem: Problem(
                    .invalid, "a ticket has no parameter \(member.key)", at: "\(JSONPointer([member.key]))",
                    allowed: ["path"]))
        }
        guard let path = object["path"] else { return nil }
        guard case .string(let text) = path, text.utf8.count <= Self.pathBytesLimit,
            let target = Target(text), text.hasPrefix("/"), target.segments.first == "v1"
        else {
            throw Refused(
                problem: Problem(.invalid, "path is a path of this server, with its query: /v1/…", at: "/path"))
        }
        return Ticket.digest(target.segments, target.parameters)
    }
}
