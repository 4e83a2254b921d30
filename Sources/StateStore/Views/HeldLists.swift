import StateModel

/// The lists and folds that are maintained although nobody subscribes, for the next reader.
package struct HeldLists {
    /// The maximum number of such lists of a space.
    package static let limit = 4
    /// The number of values after which a list is released that nobody has read.
    static let unreadLimit = 64
    /// The bytes of a space from which on such lists are worth it.
    static let bytesAtLeast = 256 * 1_024

    /// That which was read first in front.
    private var cells: [ViewCell] = []

    /// Takes the cell of a list or fold that does not read the time, in the place of the one that was read first if there
    /// are too many.
    mutating func take(_ cell: ViewCell, of catalog: FeatureCatalog) -> Bool {
        guard cell.hasList || catalog.isMaintained(cell.name), !catalog.readsTime(cell.name) else { return false }
        cells.removeAll { !$0.isHeld || $0 === cell }
        if cells.count == Self.limit { cells.removeFirst().release() }
        cells.append(cell)
        return true
    }

    /// Releases the list that was read first, which takes its time. Returns false if there is none.
    mutating func releaseFirst() -> Bool {
        if cells.isEmpty { return false }
        cells.removeFirst().release()
        return true
    }

    /// Releases what nobody has read for a while; with `all`, all of them.
    mutating func release(all: Bool = false) {
        guard !cells.isEmpty else { return }
        for cell in cells where all || cell.unreadCount > Self.unreadLimit { cell.release() }
        cells.removeAll { !$0.isHeld }
    }
}
