import StateStore

static func log(_ outside: Outside) {
    // snippet
}
