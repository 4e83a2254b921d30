extension Store {
    /// Replies with the size of a space; one that does not exist has none.
    package func measure(_ name: SpaceName, _ reply: @escaping (Result<SpaceSize, Refusal>) -> Void) {
        if name != .common, cache.isUnwritten(name) { return reply(.success(SpaceSize())) }
        if name != .common, context.isElsewhere(name) { return reply(.failure(.elsewhere)) }
        use(name) { space in
            space.whenHere { failure in
                reply(failure.map { .failure(.journal($0)) } ?? .success(space.measuredSize()))
            }
        }
    }

    /// The greatest size of each space.
    package var quota: SpaceQuota {
        get { context.quota }
        set { context.quota = newValue }
    }
}
