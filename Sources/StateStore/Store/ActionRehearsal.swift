/// The performing of a call on a copy of its space: everything but the commit.
package struct ActionRehearsal: Sendable {
    /// The answer that the call would get.
    package let answer: Answer
    /// The commit that it would make; nil for none.
    package let commit: CommitRecord?

    /// Performs a call on the newest stored state of its space, on the thread of the past. `rows` are those in memory
    /// only. Nothing of it leaves the copy: its journal is in memory, and its effects reach no server.
    package static func run(
        _ call: Call, in space: SpaceName, _ rows: [Fact], at now: Timestamp, _ context: PastContext
    ) throws(PastRefusal) -> Result<ActionRehearsal, Refusal> {
        let content = try PastContent(of: space, at: .newest, context.journal)
        var spaces = [(SpaceName.common, content.common)]
        if let own = content.own {
            spaces.append((space, StoredSpace(version: own.version, facts: own.facts + rows)))
        }
        let journal = MemoryJournal(holding: spaces, digestKey: context.journal.digestKey)
        let executor = SimulatedExecutor(from: now)
        do throws(JournalFailure) {
            let stores = try Stores(
                context.registry, executors: [executor], writer: InlineJournalWriter(journal),
                seed: UInt64(bitPattern: now.microseconds), clock: { executor.now })
            executor.run()
            var result: Result<Answer, Refusal>?
            stores[0].perform(call.rehearsed(by: context.registry), in: space) { result = $0 }
            executor.run()
            guard let result else { return .failure(.contended) }
            var commit: CommitRecord?
            if case .success(let answer) = result, !answer.changed.isEmpty, !answer.isUnkept,
                case .commits(let records) = try journal.read(space, after: answer.version - 1, limit: 1)
            {
                commit = records.first
            }
            return result.map { ActionRehearsal(answer: $0, commit: commit) }
        } catch {
            throw .journal(error)
        }
    }
}

extension Call {
    /// The call without its key, of an action that other features may have in another place.
    fileprivate func rehearsed(by registry: Registry) -> Call {
        guard id.isFound, let present = registry.id(feature: feature, name: action, isByEffect: isByEffect) else {
            return withoutKey
        }
        return found(at: present).withoutKey
    }
}

extension Store {
    /// Calls `body` with the rows in memory only of a space, which a rehearsal has beside the stored state.
    package func withUnkeptRows(of name: SpaceName, _ body: @escaping ([Fact]) -> Void) {
        guard registry.hasUnkept, name != .common else { return body([]) }
        use(name) { space in
            space.whenHere { failure in
                body(failure == nil ? space.features.unkeptRows(of: space.features.listUnkeptRows()).facts : [])
            }
        }
    }
}
