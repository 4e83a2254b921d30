import HeadwaterServer
import StateStore

static func settings(_ library: @escaping @Sendable (_ publisher: String) -> Feature) {
    // snippet
}
