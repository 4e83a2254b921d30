import Ground
import Reactive
import Synchronization

/// The numbers of the messages of a process about its clients. All its stores take theirs from here, because the store of
/// a space can change, and owners ignore messages that are older than the last.
final class PresenceNumbers: Sendable {
    private let last = Atomic<Int>(0)

    /// Returns a number greater than all before.
    func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// The clients whose streams this process holds, for the owners of their spaces.
final class PresenceHolder {
    /// The time that a client waits for its row.
    private static let patience = Duration.seconds(3)

    private unowned let store: Store
    private let ownership: any SpaceOwnership
    private let numbers: PresenceNumbers
    private var spaces: [SpaceName: HeldPresences] = [:]

    init(of store: Store, _ ownership: any SpaceOwnership, _ numbers: PresenceNumbers) {
        self.store = store
        self.ownership = ownership
        self.numbers = numbers
    }

    private var scheduler: any Scheduler { store.context.executor.scheduler }

    /// Writes the row of a client at the owner of a space.
    func join(_ request: PresenceRequest, in name: SpaceName, _ reply: @escaping (Refusal?) -> Void) {
        let joining = HeldPresences.AwaitedRow(request, reply)
        spaces[name, default: HeldPresences()].join(joining)
        scheduler.set(
            Alarm(at: scheduler.now + Self.patience) { [weak self] _ in
                guard !joining.isOver else { return }
                joining.end(.elsewhere)
                self?.send(name)
            })
        send(name)
    }

    /// Notes that the stream of a client has ended.
    func leave(_ row: PresenceRow, in name: SpaceName) {
        if spaces[name]?.leave(row) == true { send(name) }
    }

    /// Announces all rows of a space, because its owner does not know them.
    func announce(_ name: SpaceName) {
        guard spaces[name] != nil else { return }
        spaces[name]?.announce()
        send(name)
    }

    /// Announces the rows of spaces that have another owner.
    func noteOwner(_ isMeant: (SpaceName) -> Bool) {
        for name in spaces.keys.sorted() where isMeant(name) { announce(name) }
    }

    /// Returns true if the owner of a space has news of its clients, or will have some.
    func holds(_ name: SpaceName) -> Bool { spaces[name] != nil }

    private func send(_ name: SpaceName) {
        guard let held = spaces[name] else { return }
        if held.isEmpty {
            spaces[name] = nil
            return
        }
        if held.isBusy { return }
        attempt(name)
    }

    private func attempt(_ name: SpaceName) {
        let message = spaces[name]?.message(of: ownership.process) { numbers.next() }
        guard let message, let token = spaces[name]?.token else {
            if spaces[name]?.isEmpty == true { spaces[name] = nil }
            return
        }
        let (executor, owned) = (store.context.executor, Confined(store.reference))
        let take: @Sendable (PresenceAnswer?) -> Void = { answer in
            executor.post { owned.value.store?.sharing?.holder.take(answer, of: name, token) }
        }
        if store.context.owns(name) {
            store.use(name) { $0.receive(message, take) }
        } else {
            ownership.send(message, in: name, take)
        }
    }

    private func take(_ answer: PresenceAnswer?, of name: SpaceName, _ token: Int) {
        guard spaces[name]?.token == token else { return }
        guard let answer else {
            let delay = RetryDelays.forOwners[spaces[name]?.failures ?? 0]
            spaces[name]?.fail()
            scheduler.set(
                Alarm(at: scheduler.now + delay) { [weak self] _ in
                    if let self, spaces[name]?.token == token { attempt(name) }
                })
            return
        }
        // The answers to clients may come back here.
        var held = spaces[name] ?? HeldPresences()
        let joined = held.take(answer)
        spaces[name] = held
        for (joining, refusal) in joined { joining.end(refusal) }
        send(name)
    }
}
