import StateStore

/// What happens to a request whose client may send it.
enum RequestCourse {
    /// This node handles it now.
    case here
    /// This node handles it after a wait.
    case later
    /// This node handles it after `whenFresh`, or after `later`. It names no version, and wants no stream.
    case whenFresh(SpaceName)
    /// It is answered, now or later.
    case taken
}

/// The requests of one loop that wait, and are handled again then.
final class ParkedRequests {
    /// A wait. It calls its argument with true if the server has what the request must see.
    typealias Wait = (@escaping (Bool) -> Void) -> Void

    private var pending: Wait?
    /// The ends of waits, by the numbers of their requests.
    private var outcomes: [Int: Bool] = [:]
    private var next = 0
    /// The number of the request that is being handled again; 0 for none.
    private var resumed = 0

    /// Lets the request that is being decided wait.
    func park(_ wait: @escaping Wait) { pending = wait }

    /// Begins the wait of the request that was parked last. Returns its number, or nil if none was parked.
    func wait(_ resume: @escaping @Sendable () -> Void) -> Int? {
        guard let wait = pending else { return nil }
        pending = nil
        next += 1
        let number = next
        wait { [weak self] hasAll in
            self?.outcomes[number] = hasAll
            resume()
        }
        return number
    }

    /// Returns the end of the wait of the request that is being handled again; nil for another request.
    func takeOutcome() -> Bool? {
        guard resumed != 0, let outcome = outcomes.removeValue(forKey: resumed) else { return nil }
        resumed = 0
        return outcome
    }

    /// Runs `body`, which handles the request of a number again.
    func resuming(_ number: Int, _ body: () -> Void) {
        resumed = number
        body()
        outcomes[number] = nil
        resumed = 0
    }
}
