import Ground
import Reactive

extension Store {
    /// Deletes a space and its history, and replies whether it existed. Its watches deliver the initial state. The
    /// state that `common` holds for the space is deleted too.
    package func forget(_ name: SpaceName, _ reply: @escaping (Result<Bool, Refusal>) -> Void) {
        guard name != .common else { return reply(.failure(.commonStays)) }
        use(name) { space in
            space.whenHere { failure in
                if let failure {
                    // What cannot be read can be deleted.
                    guard failure.kind == .damaged else { return reply(.failure(.journal(failure))) }
                    return self.delete(space, reply)
                }
                space.whenDurable { _ in self.delete(space, reply) }
            }
        }
    }

    private func delete(_ space: Space, _ reply: @escaping (Result<Bool, Refusal>) -> Void) {
        let name = space.name
        let owned = Confined((reference: reference, space: space, reply: reply))
        // The space stays closed until `common` has deleted its part. Otherwise `common` could delete state of the new
        // life of the space.
        space.close()
        context.writer.forget(
            name, for: context.executor,
            then: { result in
                let (reference, space, reply) = owned.value
                guard let store = reference.store else { return }
                switch result {
                case .failure(let failure):
                    space.reopen(isDeleted: false)
                    reply(.failure(.journal(failure)))
                case .success(let existed):
                    store.renewUnwritten()
                    store.runDeletionHandlers(for: name) {
                        space.reopen(isDeleted: true)
                        space.whenHere { failure in
                            if let failure { return reply(.failure(.journal(failure))) }
                            reply(.success(existed))
                        }
                    }
                }
            })
    }

    /// Deletes the state that `common` holds for a deleted space, and calls `done` when that is durable.
    func runDeletionHandlers(for space: SpaceName, _ done: @escaping () -> Void = {}) {
        runDeletionHandlers(registry.deletionHandlers[...], for: space, done)
    }

    private func runDeletionHandlers(
        _ ids: ArraySlice<ActionID>, for space: SpaceName, _ done: @escaping () -> Void
    ) {
        guard let id = ids.first else { return done() }
        // A space name contains nothing that JSON must escape.
        let call = Call(id, input: Array("{\"space\":\"\(space)\"}".utf8)).byEffect
        context.performUntilStored(call, in: .common) { [context, reference] result in
            if case .failure(let refusal) = result {
                context.warn("\(id.name) of the forgotten space \(space) was refused: \(refusal)")
            }
            reference.store?.runDeletionHandlers(ids.dropFirst(), for: space, done)
        }
    }

    /// Returns the spaces for which `common` holds state, according to the replica, but which the journal does not
    /// hold.
    func deletedSpaces(in journal: any Journal) throws(JournalFailure) -> [SpaceName] {
        guard !registry.deletionHandlers.isEmpty else { return [] }
        let graph = context.graph
        let commit = Commit(graph.draft(), now: context.now, version: replica.version, random: Randomness(seed: 0))
        let names = registry.deletionHandlers.reduce(into: Set<String>()) { names, id in
            let actions = FeatureInstance.children(
                of: replica.features[id.featureIndex].makeService(), as: (any AnyAction).self)
            guard let handler = actions[id.actionIndex].1 as? SpaceDeletionHandler else { return }
            names.formUnion(handler.spaces(commit))
        }
        graph.discard()
        var deleted: [SpaceName] = []
        for name in names.sorted() {
            if let space = SpaceName(name), try journal.load(space) == nil { deleted.append(space) }
        }
        return deleted
    }
}
