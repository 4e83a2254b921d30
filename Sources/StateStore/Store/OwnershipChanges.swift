import Ground
import Reactive

/// Work that begins and ends with the ownership of spaces in a cluster.
extension Store {
    /// Takes a change of ownership. Effects run only where a space is owned.
    func noteOwned(
        _ isMeant: @escaping @Sendable (SpaceName) -> Bool, _ isOwned: Bool, among count: Int, _ index: Int
    ) {
        if index == 0, isMeant(.common) {
            if isOwned { beginCommon() } else { endCommonEffects() }
        }
        for space in cache.loaded where isMeant(space.name) { space.noteOwned(isOwned) }
        guard isOwned else { return }
        let owned = Confined((context: context, reference: reference))
        context.writer.read(
            for: context.executor,
            { journal in try? Stores.spacesWithWork(in: journal, among: count, isMeant)[index] },
            then: { work in
                guard owned.value.context.isOpen, let work else { return }
                owned.value.reference.store?.resumeWork(in: work[...])
            })
    }

    private func beginCommon() {
        startCommonEffects()
        let deleted = (try? deletedSpaces(in: context.writer.journal)) ?? []
        for space in deleted { runDeletionHandlers(for: space) }
    }
}

extension Space {
    /// Begins or ends the effects. Outstanding commits get their outcomes from the journal.
    func noteOwned(_ isOwned: Bool) {
        guard isOwned else {
            durableState = nil
            return time.stop()
        }
        guard state.isHere, isDurable else { return }
        updateEffects()
        lapse()
    }
}
