import Reactive

extension Store {
    /// Forgets a space, and all that it ever was; whether there was one. Whoever watches it sees it as it is before its first action. What `common`
    /// keeps for it ends too.
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
        let owned = Owned((door: door, space: space, reply: reply))
        // Nothing is done in it until `common` has heard: what a new life says there must not be taken for what the old one has said.
        space.shut()
        keeper.write(
            for: home,
            { journal in
                do throws(JournalFailure) {
                    return Result<Bool, JournalFailure>.success(try journal.forget(name))
                } catch {
                    return .failure(error)
                }
            },
            then: { result in
                let (door, space, reply) = owned.value
                guard let store = door.store else { return }
                switch result {
                case .failure(let failure):
                    space.beginAgain(isForgotten: false)
                    reply(.failure(.journal(failure)))
                case .success(let existed):
                    store.bidFarewell(to: name) {
                        space.beginAgain(isForgotten: true)
                        space.whenHere { failure in
                            if let failure { return reply(.failure(.journal(failure))) }
                            reply(.success(existed))
                        }
                    }
                }
            })
    }

    /// Has all that `common` keeps for a space ended, and says when that is kept.
    func bidFarewell(to space: SpaceName, _ done: @escaping () -> Void = {}) {
        bidFarewell(to: space, registry.farewells[...], attempts: 0, done)
    }

    private func bidFarewell(to space: SpaceName, _ places: ArraySlice<ActionPlace>, attempts: Int, _ done: @escaping () -> Void) {
        guard let place = places.first, let reach else { return done() }
        // The name of a space has nothing in it that a text in JSON could not have as it is.
        reach(Call(place, input: Array("{\"space\":\"\(space)\"}".utf8)), .common) { [self] result in
            switch result {
            case .failure(.journal), .failure(.contended):
                let delay = Outside.patience[min(attempts, Outside.patience.count - 1)]
                home.scheduler.set(
                    Alarm(at: home.scheduler.now + delay) { [door] _ in
                        door.store?.bidFarewell(to: space, places, attempts: attempts + 1, done)
                    })
            case .failure(let refusal):
                warn("\(place.name) of the forgotten space \(space) was refused: \(refusal)")
                bidFarewell(to: space, places.dropFirst(), attempts: 0, done)
            case .success: bidFarewell(to: space, places.dropFirst(), attempts: 0, done)
            }
        }
    }

    /// The spaces for which `common` keeps something, as far as the replica knows, that a journal has nothing of.
    func forgottenSpaces(in journal: any Journal) throws(JournalFailure) -> [SpaceName] {
        guard !registry.farewells.isEmpty else { return [] }
        let commit = Commit(graph.draft(), now: now, version: commonVersion, random: Randomness(seed: 0))
        let names = registry.farewells.reduce(into: Set<String>()) { names, place in
            guard let farewell = replica.features[place.featureIndex].actions[place.actionIndex] as? Farewell else { return }
            names.formUnion(farewell.spaces(commit))
        }
        graph.discard()
        var forgotten: [SpaceName] = []
        for name in names.sorted() {
            if let space = SpaceName(name), try journal.load(space) == nil { forgotten.append(space) }
        }
        return forgotten
    }
}
