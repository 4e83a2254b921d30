import Foundation
import HeadwaterClient

/// The session of an app.
struct Session: Sendable { func token(insteadOf refused: String?) async throws -> String? { nil } }

static func client(_ address: URL, _ folder: URL, _ session: Session) {
    // snippet
    _ = space
}

static func values(_ space: ClientSpace) async throws {
    // snippet
}

@MainActor static func live(_ space: ClientSpace) {
    // snippet
    _ = (count, price)
}

static func perform(_ space: ClientSpace) async throws {
    // snippet
}

static func discard(_ client: HeadwaterClient) async {
    // snippet
}
