/// A sequence with places: a persistent B+ tree. Reading, inserting, removing and replacing an element take O(log n); a
/// copy takes O(1) and shares all nodes with the original until one of the two changes.
@usableFromInline
package struct ListTree<Measure: ListMeasure> {
    @usableFromInline package typealias Element = Measure.Element
    @usableFromInline package typealias Node = ListNode<Measure>

    @usableFromInline package var root: Node?
    @usableFromInline let measure: Measure

    /// A tree of these elements, made in O(n).
    @inlinable
    package init(_ elements: [Element] = [], _ measure: Measure) {
        self.measure = measure
        guard !elements.isEmpty else { return }
        // Three quarters full, so that the next insertions find room.
        var level = Self.parts(of: elements.count, each: Node.leafLimit * 3 / 4).map {
            Node(elements: Array(elements[$0]), measure)
        }
        while level.count > 1 {
            let branches = Self.parts(of: level.count, each: Node.branchLimit * 3 / 4)
            level = branches.map { Node(children: level[$0].map { Node.Child($0, measure) }) }
        }
        root = level[0]
    }

    /// The ranges of parts of nearly equal length, none longer than `each`.
    @inlinable
    static func parts(of count: Int, each: Int) -> [Range<Int>] {
        let parts = (count + each - 1) / each
        return (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
    }

    /// The number of elements.
    @inlinable package var count: Int { root?.count ?? 0 }
    /// The sum of all elements, in O(1); nil if there is none.
    @inlinable package var sum: Measure.Sum? { root?.sum(measure) }

    /// The element at a place, in O(log n). Precondition: `0 <= index && index < count`.
    @inlinable
    package subscript(index: Int) -> Element {
        let leaf = leaf(at: index)
        return leaf.node.elements[leaf.index]
    }

    /// The leaf that holds a place, and the place within the leaf.
    @inlinable
    package func leaf(at index: Int) -> (node: Node, index: Int) {
        precondition(index >= 0 && index < count, "there is no such place in the list")
        var node = root!
        var index = index
        while !node.isLeaf {
            let place = node.child(at: index)
            node = node.children[place.child].node
            index = place.index
        }
        return (node, index)
    }

    /// The number of elements at the beginning that satisfy a condition which no element after them does, found in O(log n) steps.
    @inlinable
    package func partition(where isBefore: (Element) throws -> Bool) rethrows -> Int {
        try search(where: isBefore).index
    }

    /// The same, with the first element that does not satisfy the condition, if there is one.
    @inlinable
    package func search(where isBefore: (Element) throws -> Bool) rethrows -> (index: Int, element: Element?) {
        guard var node = root else { return (0, nil) }
        var passed = 0
        while !node.isLeaf {
            // The last child whose first element is before, or the first child.
            var (low, high) = (1, node.children.count)
            while low < high {
                let middle = (low + high) / 2
                if try isBefore(node.children[middle].node.first) { low = middle + 1 } else { high = middle }
            }
            for child in 0..<low - 1 { passed += node.children[child].count }
            node = node.children[low - 1].node
        }
        var (low, high) = (0, node.elements.count)
        while low < high {
            let middle = (low + high) / 2
            if try isBefore(node.elements[middle]) { low = middle + 1 } else { high = middle }
        }
        let index = passed + low
        if low < node.elements.count { return (index, node.elements[low]) }
        return (index, index < count ? self[index] : nil)
    }

    /// Inserts an element, in O(log n). Precondition: `0 <= index && index <= count`.
    @inlinable
    package mutating func insert(_ element: Element, at index: Int) {
        precondition(index >= 0 && index <= count, "there is no such place in the list")
        guard root != nil else {
            root = Node(elements: [element], measure)
            return
        }
        if let neighbour = Node.insert(element, at: index, into: &root!, measure) {
            root = Node(children: [Node.Child(root!, measure), Node.Child(neighbour, measure)])
        }
    }

    /// Removes the element at a place, in O(log n). Precondition: `0 <= index && index < count`.
    @inlinable
    @discardableResult
    package mutating func remove(at index: Int) -> Element {
        precondition(index >= 0 && index < count, "there is no such place in the list")
        if count == 1 {
            let element = self[0]
            root = nil
            return element
        }
        let removed = Node.remove(at: index, from: &root!, measure)
        if let children = root?.children, children.count == 1 { root = children[0].node }
        return removed
    }

    /// Replaces the element at a place and returns the old one, in O(log n). Precondition: `0 <= index && index < count`.
    @inlinable
    @discardableResult
    package mutating func replace(at index: Int, with element: Element) -> Element {
        precondition(index >= 0 && index < count, "there is no such place in the list")
        return Node.replace(at: index, of: &root!, with: element, measure)
    }

    /// The elements of a range, in O(log n + length).
    @inlinable
    package func elements(in range: Range<Int>) -> [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(range.count)
        while range.lowerBound + elements.count < range.upperBound {
            let leaf = leaf(at: range.lowerBound + elements.count)
            elements += leaf.node.elements[leaf.index...].prefix(range.count - elements.count)
        }
        return elements
    }

    /// Calls `body` with the elements of each leaf and the note of the leaf, if its measure makes one, in order.
    @inlinable
    package func forEachLeaf(_ body: ([Element], AnyObject?) throws -> Void) rethrows {
        try root?.forEachLeaf(body)
    }

    /// Checks the invariants of the whole tree.
    @inlinable
    package func checkInvariants() {
        _ = root?.checkInvariants(isRoot: true)
    }
}

extension ListTree {
    /// A tree that adds up nothing.
    @inlinable
    package init<Plain>(_ elements: [Plain] = []) where Measure == Unmeasured<Plain> {
        self.init(elements, Unmeasured())
    }
}
