/// The watched instances of views, by name. All subscribers share one instance, which exists from the first to the last
/// of them.
struct ViewInstances {
    private(set) var cells: [ViewKey: ViewCell] = [:]
    private let memory: InstanceMemory

    /// No instances. `memory` is that of all instances of a store.
    init(in memory: InstanceMemory) {
        self.memory = memory
    }

    var count: Int { cells.count }

    subscript(name: ViewKey) -> ViewCell? { cells[name] }

    /// Adds an instance, or removes it.
    mutating func note(_ cell: ViewCell, isWatched: Bool) {
        if isWatched {
            cells[cell.name] = cell
        } else if cells[cell.name] === cell {
            cells[cell.name] = nil
        }
    }

    /// Returns a refusal if a subscription to `views` would exceed the memory of instances. Rules are not counted: the
    /// streams bound them.
    func refusal(of views: [ViewCell]) -> Refusal? {
        guard memory.isShort else { return nil }
        let new = views.contains { $0.isInstance && $0.name.kind != .rule && cells[$0.name] == nil }
        return new ? .tooManyViews(bytes: memory.limit) : nil
    }
}

/// The estimated bytes of the watched instances of views in one store.
final class InstanceMemory {
    /// The bytes of an instance without its value: its observables, and its name.
    static let bytesPerInstance = 4 * 1_024
    /// The bytes in memory for each byte of a value: the rows, their order and the encoded texts.
    static let factor = 4

    /// The bytes of all instances.
    private(set) var bytes = 0
    /// The bytes from which on no instance is added.
    var limit = Int.max

    /// True if there is no room for one more instance.
    var isShort: Bool { bytes > limit - Self.bytesPerInstance }

    /// Returns the bytes of an instance with a value of `size` bytes.
    static func bytes(ofValue size: Int) -> Int { bytesPerInstance + factor * size }

    func add(_ change: Int) { bytes += change }
}
