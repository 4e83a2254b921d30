import HTTP
import JSON
import StateStore

/// The handler of `GET /v1/requests/{id}/why`: the reason that a request was refused, or slow.
final class ReasonHandler {
    private let reasons: RequestReasons
    private let store: Store

    init(_ reasons: RequestReasons, _ store: Store) {
        (self.reasons, self.store) = (reasons, store)
    }

    /// Answers with the reason of a request to a space that the account administers.
    func answer(_ request: String, _ responder: Responder) {
        let token = responder.account.token
        guard token.permissions.anywhere.contains(.admin) else {
            return responder.refuseRight("the reasons of requests need the right admin")
        }
        let isOfAll = token.permissions.everywhere.contains(.admin)
        let found = reasons.reason(of: request) { reason in
            reason.space.map { token.administers($0) } ?? isOfAll
        }
        guard let found else {
            return responder.answer(
                Problem(
                    .noSuchRequest,
                    "no request of this name was refused or slow lately, in a space that you administer: the last \(RequestReasons.countLimit) are kept"
                ))
        }
        let seesDocuments = token.administers(.common)
        responder.answer(
            now: found.json { [store] place in seesDocuments ? Self.text(of: place, store.documents) : nil })
    }

    /// Returns the text at a place of a document that is there.
    static func text(of place: String, _ documents: DeployedDocuments) -> String? {
        let parts = place.split(separator: "#", maxSplits: 1).map(String.init)
        guard parts.count == 2, let document = documents[parts[0]], let pointer = JSONPointer(text: parts[1]) else {
            return nil
        }
        var value: JSON? = document
        for token in pointer.tokens {
            switch value {
            case .object(let members)?: value = members[token]
            case .array(let elements)?:
                value = Int(token).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            default: value = nil
            }
        }
        if case .string(let text)? = value { return text }
        return nil
    }
}
