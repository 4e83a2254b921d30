import HeadwaterServer
import StateStore

static func embedded(_ counter: Feature) throws {
    // snippet
}
