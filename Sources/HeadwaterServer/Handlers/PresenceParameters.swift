import JSON
import StateStore

/// The parameters `presence`, `as` and `with` of a stream.
enum PresenceParameters {
    /// Returns the row that a request wants, or nil if it wants none. The error is the reason to refuse it.
    static func request(
        _ route: Route, isStream: Bool, _ registry: Registry, _ responder: Responder
    ) throws(PresenceFault) -> PresenceRequest? {
        guard let table = route["presence"] else {
            guard let name = ["as", "with"].first(where: { route[$0] != nil }) else { return nil }
            throw PresenceFault(
                Problem(.invalid, "\(name) belongs to presence: name its table with presence=feature.table"))
        }
        guard registry.presences.contains(table) else {
            throw PresenceFault(
                Problem(.invalid, "there is no table \(table) with presence", allowed: registry.presences))
        }
        guard isStream else {
            throw PresenceFault(
                Problem(
                    .invalid,
                    "presence lasts as long as a stream: send Accept: text/event-stream, or events=1"))
        }
        let row: JSON
        do throws(JSONError) {
            row = try route["with"].map { text throws(JSONError) in try JSON(parsing: Array(text.utf8)) } ?? [:]
        } catch {
            throw PresenceFault(Problem(.invalid, "with is not JSON: \(error.reason)", at: "/with"))
        }
        return try request(table, key: route["as"], row: row, rights: responder.rights, registry, responder)
    }

    /// Returns the row that the body of a steered stream wants in a space.
    static func request(
        _ table: String, key: String?, row: JSON, in space: SpaceName, _ registry: Registry, _ responder: Responder
    ) throws(PresenceFault) -> PresenceRequest {
        guard registry.presences.contains(table) else {
            throw PresenceFault(
                Problem(.invalid, "there is no table \(table) with presence", allowed: registry.presences))
        }
        let rights = responder.account.token.permissions.rights(in: space)
        return try request(table, key: key, row: row, rights: rights, registry, responder)
    }

    private static func request(
        _ table: String, key: String?, row: JSON, rights: Rights, _ registry: Registry, _ responder: Responder
    ) throws(PresenceFault) -> PresenceRequest {
        guard rights.contains(.act) else {
            throw PresenceFault(Problem(.forbidden, "the token needs the right act for presence"))
        }
        let subject = responder.account.subject
        let key = key ?? subject
        guard !key.isEmpty else {
            throw PresenceFault(Problem(.invalid, "name the row with as=NAME: the token has no subject"))
        }
        guard key.utf8.count <= 255 else { throw PresenceFault(Problem(.invalid, "as has at most 255 bytes")) }
        if let fault = registry.keyFault(of: key, inPresence: table) {
            throw PresenceFault(Problem(.invalid, "as is the key of a row of \(table): \(fault)", at: "/as"))
        }
        // On a server without tokens any name is taken.
        let isOpen = responder.account.kind == .open
        return PresenceRequest(
            key, in: table, with: row, responder.account.caller, needsRule: !isOpen && key != subject)
    }
}

/// The reason to refuse a stream with presence.
struct PresenceFault: Error {
    let problem: Problem

    init(_ problem: Problem) {
        self.problem = problem
    }
}
