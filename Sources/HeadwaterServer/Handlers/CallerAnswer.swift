import Documents
import HTTP
import JSON
import StateStore

/// The answer to `GET /v1/me`: the caller as expressions of documents see it in `token`, and its rights.
enum CallerAnswer {
    static func send(_ responder: Responder) {
        let account = responder.account
        let content: JSON = [
            "sub": .string(account.subject), "claims": account.caller.token,
            "rights": .array(account.token.permissions.anywhere.names.map { .string($0) }),
        ]
        responder.answer(Status(200), "application/json", content.written) { $0.field("Cache-Control", "no-store") }
    }
}
