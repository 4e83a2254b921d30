/// Names of spaces in their order, in chunks of a bounded size. To add or remove one of n names takes O(log n) comparisons
/// and moves at most a chunk and n divided by its size; to read a page takes O(log n) and the page.
package struct SpaceNames {
    static let chunkLimit = 512

    /// The chunks: none is empty, and each name is less than those of the next chunk.
    private var chunks: [[SpaceName]] = []

    /// No names.
    package init() {}

    /// Adds a name that is not there yet.
    package mutating func insert(_ name: SpaceName) {
        guard !chunks.isEmpty else {
            chunks = [[name]]
            return
        }
        let index = max(0, Self.place(of: name, among: chunks.count) { chunks[$0][0] <= name } - 1)
        let place = Self.place(of: name, among: chunks[index].count) { chunks[index][$0] < name }
        chunks[index].insert(name, at: place)
        guard chunks[index].count > Self.chunkLimit else { return }
        let upper = Array(chunks[index][(Self.chunkLimit / 2)...])
        chunks[index].removeLast(upper.count)
        chunks.insert(upper, at: index + 1)
    }

    /// Removes a name, if it is there.
    package mutating func remove(_ name: SpaceName) {
        let index = Self.place(of: name, among: chunks.count) { chunks[$0][0] <= name } - 1
        guard index >= 0 else { return }
        let place = Self.place(of: name, among: chunks[index].count) { chunks[index][$0] < name }
        guard place < chunks[index].count, chunks[index][place] == name else { return }
        chunks[index].remove(at: place)
        if chunks[index].isEmpty { chunks.remove(at: index) }
    }

    /// Returns up to `limit` names after `name`, or the first ones.
    package func some(after name: SpaceName?, limit: Int) -> [SpaceName] {
        var found: [SpaceName] = []
        var (index, place) = (0, 0)
        if let name, !chunks.isEmpty {
            index = max(0, Self.place(of: name, among: chunks.count) { chunks[$0][0] <= name } - 1)
            place = Self.place(of: name, among: chunks[index].count) { chunks[index][$0] <= name }
        }
        while index < chunks.count, found.count < limit {
            found += chunks[index][place...].prefix(limit - found.count)
            (index, place) = (index + 1, 0)
        }
        return found
    }

    /// Returns the number of the first elements that are `before` the place of a name.
    private static func place(of name: SpaceName, among count: Int, _ before: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if before(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Checks that the chunks are in order and of their size.
    package func checkInvariants() {
        precondition(chunks.allSatisfy { !$0.isEmpty && $0.count <= Self.chunkLimit })
        let all = chunks.flatMap { $0 }
        precondition(zip(all, all.dropFirst()).allSatisfy { $0 < $1 })
    }
}
