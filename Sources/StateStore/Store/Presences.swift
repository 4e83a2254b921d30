import Ground

/// The stay of a client in a table with presence. It ends when it is released.
package final class PresenceStay {
    private let store: StoreReference
    private let space: SpaceName
    private let table: String
    private let key: String
    private var isOpen = true

    init(_ request: PresenceRequest, in space: SpaceName, of store: StoreReference) {
        (table, key) = (request.table, request.key)
        (self.space, self.store) = (space, store)
    }

    deinit {
        end()
    }

    /// Ends the stay. The row goes after the grace, unless the client has another stay.
    package func end() {
        guard isOpen else { return }
        isOpen = false
        store.store?.leave(table, key, in: space)
    }
}

extension Store {
    /// Writes the row of a client in a table with presence, and replies when the views of the space show it.
    package func join(
        _ request: PresenceRequest, in name: SpaceName, _ reply: @escaping (Result<PresenceStay, Refusal>) -> Void
    ) {
        guard name != .common else { return reply(.failure(.wrongSpace(.space))) }
        use(name) { [reference] space in
            space.join(request) { refusal in
                reply(refusal.map { .failure($0) } ?? .success(PresenceStay(request, in: name, of: reference)))
            }
        }
    }

    func leave(_ table: String, _ key: String, in name: SpaceName) {
        use(name) { $0.leave(table, key) }
    }
}
