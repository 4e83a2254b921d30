import Foundation
import HeadwaterClient

/// The session of an app.
struct Session: Sendable { func token(insteadOf refused: String?) async throws -> String? { nil } }

static func client(_ session: Session) {
    // snippet
    _ = space
}
