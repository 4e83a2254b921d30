import StateStore

static func program(_ auction: Feature) {
    // snippet
}
