import HeadwaterClient

static func perform(_ space: ClientSpace) async throws {
    // snippet
}
