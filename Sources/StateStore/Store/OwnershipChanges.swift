import Ground
import Reactive

/// Work that begins and ends with the ownership of spaces in a cluster.
extension Store {
    /// Takes a change of ownership. Effects run only where a space is owned.
    func noteOwned(
        _ isMeant: @escaping @Sendable (SpaceName) -> Bool, _ isOwned: Bool, _ placement: SpacePlacement, _ index: Int
    ) {
        if index == 0, isMeant(.common) {
            if isOwned { beginCommon() } else { endCommonEffects() }
        }
        for space in cache.loaded where isMeant(space.name) { space.noteOwned(isOwned) }
        noteOwnerOfRows(isMeant, isOwned)
        if isOwned { resumeWork(isMeant, placement, index) }
    }

    /// Loads the spaces with work that this process owns now.
    private func resumeWork(
        _ isMeant: @escaping @Sendable (SpaceName) -> Bool, _ placement: SpacePlacement, _ index: Int
    ) {
        let owned = Confined((context: context, reference: reference))
        context.writer.read(
            for: context.executor,
            { journal in
                do throws(JournalFailure) {
                    return Result<[SpaceName], JournalFailure>.success(
                        try Stores.spacesWithWork(in: journal, placement, isMeant)[index])
                } catch {
                    return .failure(error)
                }
            },
            then: { work in
                let (context, reference) = owned.value
                guard context.isOpen, let store = reference.store else { return }
                switch work {
                case .success(let names): store.resumeWork(in: names[...])
                case .failure(let failure):
                    store.retry("the spaces with work", failure) { $0.resumeWork(isMeant, placement, index) }
                }
            })
    }

    private func beginCommon() {
        startCommonEffects()
        migrateCommon()
        finishDeletions()
    }

    /// Deletes the state that `common` holds for spaces that were deleted.
    private func finishDeletions() {
        do throws(JournalFailure) {
            for space in try deletedSpaces(in: context.writer.journal) { runDeletionHandlers(for: space) }
        } catch {
            retry("the deleted spaces", error) { $0.finishDeletions() }
        }
    }

    private func retry(_ names: String, _ failure: JournalFailure, _ body: @escaping (Store) -> Void) {
        context.warn("\(names) cannot be read; trying again in \(Self.retryDelay): \(failure)")
        let scheduler = context.executor.scheduler
        scheduler.set(Alarm(at: scheduler.now + Self.retryDelay) { [reference] _ in reference.store.map(body) })
    }
}

extension Space {
    /// Begins or ends the effects. Outstanding commits get their outcomes from the journal.
    func noteOwned(_ isOwned: Bool) {
        guard isOwned else {
            durableState = nil
            giveUpRows()
            return time.stop()
        }
        if state.isHere || hasUnkeptRows {
            whenHere { failure in
                guard failure == nil, let claim = self.context.ownership?.claim(of: self.name) else { return }
                self.takeOver(claim.number)
            }
        }
        resumeMigration()
        guard state.isHere, isDurable else { return }
        isDropRefused = false
        removeDropped()
        updateEffects()
        context.dueSpaces.add(self)
    }
}
