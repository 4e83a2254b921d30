internal import Platform
import Synchronization

/// The stores of the spaces: by name, except large ones, which share the last store.
///
/// A store computes views and actions on its thread, so a space delays the others of its store. What a small space
/// computes is bounded and short. Large spaces delay each other only. Threads read it.
package final class SpacePlacement: Sendable {
    /// The estimated bytes in memory from which on a space is large.
    package let largeBytes: Int
    /// The number of stores for spaces by name.
    private let count: Int
    /// The index of the store for large spaces; nil without one.
    package let largeIndex: Int?
    private let hasLarge: Atomic<Bool>
    private let large: Lock<Set<SpaceName>>

    /// A placement among `count` stores, of which the last is for large spaces if `hasLargeStore`. `known` are the
    /// large spaces of an earlier process.
    package init(
        among count: Int, hasLargeStore: Bool = false, largeBytes: Int = 1 << 20, known: Set<SpaceName> = []
    ) {
        self.largeBytes = largeBytes
        self.count = hasLargeStore ? count - 1 : count
        largeIndex = hasLargeStore ? count - 1 : nil
        hasLarge = Atomic(hasLargeStore && !known.isEmpty)
        large = Lock(hasLargeStore ? known : [])
    }

    /// Returns the index of the store of a space.
    package func index(of space: SpaceName) -> Int {
        if let largeIndex, hasLarge.load(ordering: .acquiring), large.with({ $0.contains(space) }) { return largeIndex }
        return count == 1 || space == .common ? 0 : Int(space.digest % UInt64(count))
    }

    /// The number of stores.
    var storeCount: Int { count + (largeIndex == nil ? 0 : 1) }

    /// Returns true if a space does not belong to the store with an index.
    func isElsewhere(_ space: SpaceName, than index: Int) -> Bool {
        hasLarge.load(ordering: .relaxed) && self.index(of: space) != index
    }

    /// The large spaces.
    package var largeSpaces: Set<SpaceName> { large.with { $0 } }

    /// Notes that a space is large. Returns false if that was known, or if there is no store for large spaces.
    func noteLarge(_ space: SpaceName) -> Bool {
        guard largeIndex != nil, space != .common, large.with({ $0.insert(space).inserted }) else { return false }
        hasLarge.store(true, ordering: .releasing)
        return true
    }
}
