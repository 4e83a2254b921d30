import Ground
import Reactive

/// The loaded spaces of a store. It unloads the least recently used idle spaces when it exceeds its limits of number or
/// memory.
final class SpaceCache {
    /// The maximum number of loaded spaces that are idle.
    var idleLimit = 10_000
    /// The maximum number of bytes of loaded spaces. Only idle ones are unloaded.
    var memoryLimit = Int.max
    /// The number of spaces that are queued after a space before it releases what only an active space needs.
    static let activeCount = 256
    /// Called with the name of each space that is unloaded, and of each that is no longer known to be unwritten.
    var unloaded: (SpaceName) -> Void = { _ in }
    /// Called with the earliest alarm of each space that is unloaded and has one.
    var sleeping: (Timestamp) -> Void = { _ in }
    /// Returns true if a space belongs to another store.
    var isForeign: (SpaceName) -> Bool = { _ in false }
    /// The estimated bytes from which on a space is large.
    var largeBytes = Int.max
    /// Called with a large space that is idle. Returns true if it belongs to another store from now on.
    var outgrown: (SpaceName) -> Bool = { _ in false }
    /// Called with a large space that would be idle without its watches.
    var crowded: (Space) -> Void = { _ in }
    /// The spaces that the journal does not hold, among those looked up. Disjoint from the loaded spaces.
    private var unwritten = UnwrittenSpaces()
    /// The estimated number of bytes of the loaded spaces.
    private(set) var memory = 0

    private var spaces: [SpaceName: Space] = [:]
    /// The space looked up last, while it is loaded: finding it again needs no hashing.
    private(set) var latest: Space?
    /// The queue of spaces that may become idle, for eviction with a second chance: a space used since its arrival is
    /// queued again.
    private var used = Fifo<Space>()

    var count: Int { spaces.count }
    /// The loaded spaces.
    var all: [Space] { Array(spaces.values) }

    /// Returns the loaded space of a name, or nil.
    func space(_ name: SpaceName) -> Space? {
        if let latest, latest.name == name { return latest }
        guard let space = spaces[name] else { return nil }
        latest = space
        return space
    }

    /// Returns the loaded space of a name, or nil, without making it the latest.
    func peek(_ name: SpaceName) -> Space? {
        if let latest, latest.name == name { return latest }
        return spaces[name]
    }

    /// The loaded spaces.
    var loaded: [Space] { Array(spaces.values) }

    /// Returns true if the journal is known not to hold a space.
    func isUnwritten(_ name: SpaceName) -> Bool { unwritten.contains(name) }

    /// Notes that the journal may hold a space that is not loaded.
    func noteWritten(_ name: SpaceName) {
        if unwritten.remove(name) { unloaded(name) }
    }

    /// Removes the names of all unwritten spaces.
    func forgetUnwritten() {
        unwritten.removeAll()
    }

    func add(_ space: Space) {
        unwritten.remove(space.name)
        spaces[space.name] = space
        memory += space.memory
    }

    func removeAll() {
        latest = nil
        for space in spaces.values { space.releaseLists(all: true) }
        spaces = [:]
    }

    /// Notes that the estimate of a space was `before`.
    func noteMemory(of space: Space, before: Int) {
        if spaces[space.name] === space { memory += space.memory - before }
    }

    /// Notes that a space was used or has become idle, and unloads others if there are too many.
    func noteUse(of space: Space) {
        space.measureFeatures()
        space.releaseLists()
        if space.isDispensable { return dispense(with: space) }
        // The space is noted again when its content has come.
        if space.state.presence == .loading { return }
        if WorkAllowance.isSpent { space.isCostly = true }
        if space.isCostly || space.memory >= largeBytes || isForeign(space.name) {
            if handOver(space) { return }
            if space.isIdleButWatched, space.isCostly || space.memory / 2 >= largeBytes { crowded(space) }
        }
        space.wasUsed = space.isQueued
        if !space.isQueued {
            space.isQueued = true
            used.append(space)
            if used.count > Self.activeCount { used[used.count - 1 - Self.activeCount]?.trim() }
        }
        while used.count > idleLimit, let oldest = used.popFirst() {
            if oldest.wasUsed {
                oldest.wasUsed = false
                used.append(oldest)
            } else {
                unload(oldest)
            }
        }
        if memory > memoryLimit { makeRoom(keeping: space) }
    }

    /// Unloads a large space that is idle, if another store takes it.
    private func handOver(_ space: Space) -> Bool {
        guard space.isIdle, spaces[space.name] === space, outgrown(space.name) else { return false }
        remove(space)
        if let due = space.time.due {
            space.time.stop()
            sleeping(due)
        }
        unloaded(space.name)
        return true
    }

    /// Removes an idle space without commits. If it was loaded, its name is stored as unwritten.
    private func dispense(with space: Space) {
        guard spaces[space.name] === space else { return }
        remove(space)
        guard space.state.isHere else { return unloaded(space.name) }
        if let other = unwritten.insert(space.name) { unloaded(other) }
    }

    /// Unloads idle spaces whose memory a large space that is being loaded needs. Returns false if others in use have all
    /// of the memory.
    func hasRoom(for bytes: Int, of space: Space) -> Bool {
        guard memory - space.memory + bytes > memoryLimit else { return true }
        makeRoom(keeping: space, for: bytes - space.memory)
        return memory - space.memory <= memoryLimit
    }

    /// Unloads idle spaces until the rest, and another one of some bytes, occupies at most `memoryLimit`. The space in use
    /// stays.
    private func makeRoom(keeping current: Space, for bytes: Int = 0) {
        // Examines each space at most twice: a space used since the last look gets a second chance.
        var looks = used.count * 2
        while memory + bytes > memoryLimit, looks > 0, let oldest = used.popFirst() {
            looks -= 1
            if oldest === current || oldest.wasUsed {
                oldest.wasUsed = false
                used.append(oldest)
            } else {
                unload(oldest)
            }
        }
    }

    /// Unloads a space that has left the queue, if it is idle. Otherwise it returns to the queue when it becomes idle.
    private func unload(_ space: Space) {
        space.isQueued = false
        guard space.isIdle, spaces[space.name] === space else { return }
        remove(space)
        if let due = space.time.due {
            space.time.stop()
            sleeping(due)
        }
        unloaded(space.name)
    }

    private func remove(_ space: Space) {
        spaces[space.name] = nil
        space.context.fullSpaces.remove(space.name)
        space.releaseLists(all: true)
        if latest === space { latest = nil }
        memory -= space.memory
        if space.queues.hasUnstored { space.context.uncarriedActions.keep(space.queues.uncarried, of: space.name) }
    }
}

/// The names of recently requested spaces that the journal does not hold. The table has a fixed size: a new name
/// replaces another.
struct UnwrittenSpaces {
    /// The number of names. A power of two.
    static let limit = 1_024

    private var names: [SpaceName?] = []

    /// Returns true if the name is known to be unwritten.
    func contains(_ name: SpaceName) -> Bool { !names.isEmpty && names[Self.index(of: name)] == name }

    /// Adds a name. Returns the name whose place it takes, if any.
    mutating func insert(_ name: SpaceName) -> SpaceName? {
        if names.isEmpty { names = Array(repeating: nil, count: Self.limit) }
        let index = Self.index(of: name)
        defer { names[index] = name }
        return names[index] == name ? nil : names[index]
    }

    /// Removes a name. Returns true if it was there.
    @discardableResult
    mutating func remove(_ name: SpaceName) -> Bool {
        guard contains(name) else { return false }
        names[Self.index(of: name)] = nil
        return true
    }

    /// Removes all names.
    mutating func removeAll() {
        names = []
    }

    /// Fibonacci hashing, because similar names have similar digests.
    private static func index(of name: SpaceName) -> Int {
        Int((name.digest &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - limit.trailingZeroBitCount))
    }
}
