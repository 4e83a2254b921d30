/// The steps that turn one array into another: removals, then insertions and moves in the order of the new array, then
/// comparisons of the elements that correspond.
///
/// Elements with the same key correspond. The longest run of corresponding elements in the same order stays; the others
/// move. Between two elements that stay, elements without a counterpart correspond by position.
struct ArrayAlignment {
    /// One step. Indices count in the array as the steps before have left it, positions in the old or new array.
    enum AlignmentStep {
        /// Remove the element at an index.
        case remove(index: Int)
        /// Insert the new element of a position at an index.
        case insert(position: Int, index: Int)
        /// Move an element between two indices.
        case move(from: Int, to: Int)
        /// Compare an old element with the new one that corresponds to it.
        case compare(old: Int, new: Int)
    }

    /// A pair of positions, relative to the start of the slices.
    private struct Pair {
        var old: Int
        var new: Int
    }

    private(set) var steps: [AlignmentStep] = []

    private let start: Int
    /// The counterpart of each new element; -1 if it has none.
    private var oldPositions: [Int]
    /// The counterpart of each old element; -1 if it has none.
    private var newPositions: [Int]

    /// Aligns two slices that start at the same position.
    init(_ old: ArraySlice<JSON>, _ new: ArraySlice<JSON>) {
        start = old.startIndex
        oldPositions = Array(repeating: -1, count: new.count)
        newPositions = Array(repeating: -1, count: old.count)
        // Pure insertions, removals and single changes need no matching.
        if !old.isEmpty, !new.isEmpty, old.count > 1 || new.count > 1 { match(old, new) }
        let staying = withPositionalPairs(longestRun())
        appendRemovals()
        appendInsertionsAndMoves(staying)
        for (new, old) in oldPositions.enumerated() where old >= 0 {
            steps.append(.compare(old: start + old, new: start + new))
        }
    }

    /// Matches elements with equal keys, in their order.
    private mutating func match(_ old: ArraySlice<JSON>, _ new: ArraySlice<JSON>) {
        // The first old position of each key, and for each old position the next of the same key.
        var first: [ElementKey: Int] = [:]
        var next = Array(repeating: -1, count: old.count)
        for position in next.indices.reversed() {
            let key = ElementKey(old[old.startIndex + position])
            next[position] = first.updateValue(position, forKey: key) ?? -1
        }
        for (position, element) in new.enumerated() {
            let key = ElementKey(element)
            guard let counterpart = first[key], counterpart >= 0 else { continue }
            first[key] = next[counterpart]
            oldPositions[position] = counterpart
            newPositions[counterpart] = position
        }
    }

    /// Returns the longest run of pairs that rises in both arrays (patience sorting, O(k log k)).
    private func longestRun() -> [Pair] {
        // The new position of the least last element of a run of each length.
        var ends: [Int] = []
        var previous = Array(repeating: -1, count: oldPositions.count)
        for new in oldPositions.indices where oldPositions[new] >= 0 {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if oldPositions[ends[middle]] < oldPositions[new] { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[new] = ends[low - 1] }
            if low == ends.count { ends.append(new) } else { ends[low] = new }
        }
        var run: [Pair] = []
        var position = ends.last ?? -1
        while position >= 0 {
            run.append(Pair(old: oldPositions[position], new: position))
            position = previous[position]
        }
        return run.reversed()
    }

    /// Adds pairs of elements without a counterpart that lie between the same two elements that stay.
    private mutating func withPositionalPairs(_ run: [Pair]) -> [Pair] {
        var staying: [Pair] = []
        var (old, new) = (0, 0)
        for pair in run + [Pair(old: newPositions.count, new: oldPositions.count)] {
            while true {
                while old < pair.old, newPositions[old] >= 0 { old += 1 }
                while new < pair.new, oldPositions[new] >= 0 { new += 1 }
                guard old < pair.old, new < pair.new else { break }
                newPositions[old] = new
                oldPositions[new] = old
                staying.append(Pair(old: old, new: new))
            }
            if pair.old < newPositions.count { staying.append(pair) }
            (old, new) = (pair.old + 1, pair.new + 1)
        }
        return staying
    }

    /// Removes from the back, so that each position is the index.
    private mutating func appendRemovals() {
        for old in newPositions.indices.reversed() where newPositions[old] < 0 {
            steps.append(.remove(index: start + old))
        }
    }

    /// Puts each new element after the one before it.
    ///
    /// At any time the array holds the elements in place (those that stay, and all before `new`), and the waiting ones,
    /// which will move. Both keep their order, so an index is a number of elements in place plus one of waiting ones.
    private mutating func appendInsertionsAndMoves(_ staying: [Pair]) {
        var waiting = PrefixCounts(count: newPositions.count)
        var isStaying = Array(repeating: false, count: newPositions.count)
        for pair in staying { isStaying[pair.old] = true }
        for old in newPositions.indices where newPositions[old] >= 0 && !isStaying[old] { waiting.add(1, at: old) }
        // The number of elements that stay before each old position.
        var stayingBefore = [0]
        for old in newPositions.indices { stayingBefore.append(stayingBefore[old] + (isStaying[old] ? 1 : 0)) }

        // The number of staying elements before `new`.
        var passed = 0
        for new in oldPositions.indices {
            if passed < staying.count, staying[passed].new == new {
                passed += 1
                continue
            }
            let old = oldPositions[new]
            var source = 0
            if old >= 0 {
                let rank = stayingBefore[old]
                let inPlace = rank < passed ? staying[rank].new : new + (rank - passed)
                source = inPlace + waiting.sum(before: old)
                waiting.add(-1, at: old)
            }
            let target = new + (passed > 0 ? waiting.sum(before: staying[passed - 1].old) : 0)
            if old < 0 {
                steps.append(.insert(position: start + new, index: start + target))
            } else if source != target {
                steps.append(.move(from: start + source, to: start + target))
            }
        }
    }
}

/// What makes two elements of arrays correspond.
private enum ElementKey: Hashable {
    /// The member `id` or `key` of an object, a string or a number.
    case identity(JSON)
    /// The whole element.
    case value(JSON)

    init(_ element: JSON) {
        if case .object = element, let id = element["id"] ?? element["key"], id.kind == .string || id.kind == .number {
            self = .identity(id)
        } else {
            self = .value(element)
        }
    }
}

/// Numbers at positions, with the sum of those before a position in O(log n) (a Fenwick tree).
private struct PrefixCounts {
    private var sums: [Int]

    init(count: Int) { sums = Array(repeating: 0, count: count + 1) }

    mutating func add(_ number: Int, at position: Int) {
        var index = position + 1
        while index < sums.count {
            sums[index] += number
            index += index & -index
        }
    }

    func sum(before position: Int) -> Int {
        var (sum, index) = (0, position)
        while index > 0 {
            sum += sums[index]
            index -= index & -index
        }
        return sum
    }
}
