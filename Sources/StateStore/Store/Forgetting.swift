extension Store {
    /// Forgets a space, and all that it ever was; whether there was one. Whoever watches it sees it as it is before its first action.
    public func forget(_ name: SpaceName, _ reply: @escaping (Result<Bool, Refusal>) -> Void) {
        guard name != .common else { return reply(.failure(.commonStays)) }
        use(name) { space in
            space.whenHere { failure in
                if let failure { return reply(.failure(.journal(failure))) }
                space.whenDurable { _ in self.forget(space, reply) }
            }
        }
    }

    private func forget(_ space: Space, _ reply: @escaping (Result<Bool, Refusal>) -> Void) {
        let name = space.name
        let owned = Owned((space: space, reply: reply))
        keeper.read(
            for: home,
            { journal in
                do throws(JournalFailure) {
                    return Result<Bool, JournalFailure>.success(try journal.forget(name))
                } catch {
                    return .failure(error)
                }
            },
            then: { result in
                let (space, reply) = owned.value
                switch result {
                case .failure(let failure): reply(.failure(.journal(failure)))
                case .success(let existed):
                    space.beginAgain()
                    space.whenHere { failure in
                        if let failure { return reply(.failure(.journal(failure))) }
                        reply(.success(existed))
                    }
                }
            })
    }
}
