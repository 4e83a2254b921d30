import Ground

/// The stay of a client in a table with presence. It ends when it is released.
package final class PresenceStay {
    private let store: StoreReference
    private let space: SpaceName
    private let row: PresenceRow
    private var isOpen = true

    init(_ request: PresenceRequest, in space: SpaceName, of store: StoreReference) {
        row = PresenceRow(table: request.table, key: request.key)
        (self.space, self.store) = (space, store)
    }

    deinit {
        end()
    }

    /// Ends the stay. The row goes after the grace, unless the client has another stay.
    package func end() {
        guard isOpen else { return }
        isOpen = false
        store.store?.leave(row, in: space)
    }
}

extension Store {
    /// Writes the row of a client in a table with presence, and replies when the views of the space show it.
    package func join(
        _ request: PresenceRequest, in name: SpaceName, _ reply: @escaping (Result<PresenceStay, Refusal>) -> Void
    ) {
        guard name != .common else { return reply(.failure(.wrongSpace(.space))) }
        guard sharing == nil else { return joinAtOwner(request, in: name, reply) }
        use(name) { [reference] space in
            space.join(request) { outcome in
                reply(outcome.refusal.map { .failure($0) } ?? .success(PresenceStay(request, in: name, of: reference)))
            }
        }
    }

    /// Has the owner of a space write the row of a client, and replies when the views of the space show it here.
    private func joinAtOwner(
        _ request: PresenceRequest, in name: SpaceName, _ reply: @escaping (Result<PresenceStay, Refusal>) -> Void
    ) {
        sharing?.holder.join(request, in: name) { [self] refusal in
            if let refusal { return reply(.failure(refusal)) }
            let stay = PresenceStay(request, in: name, of: reference)
            pullRows(of: name, within: RowFollower.patience) { _ in reply(.success(stay)) }
        }
    }

    func leave(_ row: PresenceRow, in name: SpaceName) {
        if let sharing { return sharing.holder.leave(row, in: name) }
        use(name) { $0.leave(row) }
    }
}
