internal import Platform
package import StateStore
internal import Synchronization

/// The spaces in which this process has found damage, by a read or by verification.
package final class DamagedSpaces: Sendable {
    private struct Found {
        var reasons: [SpaceName: String] = [:]
        var receive: (@Sendable (SpaceName, String) -> Void)?
    }

    private let found = Lock(Found())
    private let passes = Atomic(0)

    /// Calls `receive` with each damaged space and the damage, also those found before, on the thread that finds it.
    package func watch(_ receive: @escaping @Sendable (SpaceName, String) -> Void) {
        let known = found.withLock { found in
            found.receive = receive
            return found.reasons
        }
        for (space, reason) in known { receive(space, reason) }
    }

    /// The damaged spaces, in the order of their names.
    package var names: [SpaceName] {
        found.withLock { $0.reasons.keys.sorted { $0.description < $1.description } }
    }

    /// The number of damaged spaces.
    package var count: Int { found.withLock { $0.reasons.count } }

    /// The number of times that verification has read everything.
    package var passCount: Int { passes.load(ordering: .relaxed) }

    func note(_ space: SpaceName, _ reason: String) {
        let receive = found.withLock { found in
            found.reasons.updateValue(reason, forKey: space) == nil ? found.receive : nil
        }
        receive?(space, reason)
    }

    /// Notes that a space is whole, or gone.
    func clear(_ space: SpaceName) {
        _ = found.withLock { $0.reasons.removeValue(forKey: space) }
    }

    /// Notes that verification has read everything. Spaces that it has not met are gone.
    func endPass(_ met: Set<SpaceName>) {
        found.withLock { found in found.reasons = found.reasons.filter { met.contains($0.key) } }
        passes.add(1, ordering: .relaxed)
    }
}
