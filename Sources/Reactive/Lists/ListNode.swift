/// A node of a list tree: a leaf with elements, or a branch with nodes that are all of one depth.
///
/// A node that several trees share never changes; a tree copies it before it writes.
@usableFromInline
package final class ListNode<Measure: ListMeasure> {
    @usableFromInline package typealias Element = Measure.Element

    /// A child of a branch, with its number of elements and their sum. They stand here and not in the child, so a search
    /// for a place and a sum over all children read one array.
    @usableFromInline
    package struct Child {
        @usableFromInline package var node: ListNode
        @usableFromInline var count: Int
        @usableFromInline var sum: Measure.Sum

        @inlinable
        init(_ node: ListNode, _ measure: Measure) {
            self.node = node
            count = node.count
            sum = node.sum(measure)
        }

        /// Takes the count and the sum of the node after a change below it.
        @inlinable
        mutating func update(_ measure: Measure) {
            count = node.count
            sum = node.sum(measure)
        }
    }

    /// The number of elements below this node.
    @usableFromInline package final var count: Int
    /// The elements of a leaf; empty in a branch.
    @usableFromInline package final var elements: [Element]
    /// The nodes of a branch; empty in a leaf.
    @usableFromInline package final var children: [Child]
    /// The first element below this node, kept here so that a search reads only the nodes that it compares.
    @usableFromInline final var first: Element
    /// What a leaf keeps until its elements change; nil in a branch.
    @usableFromInline final var note: AnyObject?

    /// A leaf. Precondition: `!elements.isEmpty`.
    @inlinable
    init(elements: [Element], _ measure: Measure) {
        count = elements.count
        self.elements = elements
        children = []
        first = elements[0]
        note = measure.makeNote()
    }

    /// A branch. Precondition: `!children.isEmpty`.
    @inlinable
    init(children: [Child]) {
        count = children.reduce(0) { $0 + $1.count }
        elements = []
        self.children = children
        first = children[0].node.first
    }

    /// A copy, whose children both share.
    @inlinable
    init(copying node: ListNode) {
        count = node.count
        elements = node.elements
        children = node.children
        first = node.first
    }

    @inlinable package final var isLeaf: Bool { children.isEmpty }

    /// The most elements of a leaf. A change of a shared leaf copies it, a search within it compares log2 of this many.
    @inlinable static var leafLimit: Int { 16 }
    /// The most children of a branch.
    @inlinable static var branchLimit: Int { 8 }

    /// The number of elements or children of this node.
    @inlinable final var width: Int { isLeaf ? elements.count : children.count }
    /// The most of them.
    @inlinable final var limit: Int { isLeaf ? Self.leafLimit : Self.branchLimit }

    /// The sum of the elements below this node, made of those of its children.
    @inlinable
    final func sum(_ measure: Measure) -> Measure.Sum {
        guard !isLeaf else { return measure.sum(of: elements) }
        var sum = children[0].sum
        for index in 1..<children.count { measure.add(children[index].sum, to: &sum) }
        return sum
    }

    /// Replaces a node that others share by a copy, which may then be changed. A leaf gets a new note.
    @inlinable
    static func own(_ node: inout ListNode, _ measure: Measure) {
        if !isKnownUniquelyReferenced(&node) { node = ListNode(copying: node) }
        if node.isLeaf { node.note = measure.makeNote() }
    }

    /// The child that holds the element at `index`, and the index within that child.
    @inlinable
    final func child(at index: Int) -> (child: Int, index: Int) {
        var index = index
        var child = 0
        while index >= children[child].count, child < children.count - 1 {
            index -= children[child].count
            child += 1
        }
        return (child, index)
    }

    /// Inserts an element, and returns a right neighbour for `node` if it had to split.
    @inlinable
    static func insert(
        _ element: Element, at index: Int, into node: inout ListNode, _ measure: Measure
    ) -> ListNode? {
        own(&node, measure)
        node.count += 1
        if index == 0 { node.first = element }
        if node.isLeaf {
            node.elements.insert(element, at: index)
        } else {
            let place = node.child(at: index)
            let neighbour = insert(element, at: place.index, into: &node.children[place.child].node, measure)
            node.children[place.child].update(measure)
            if let neighbour { node.children.insert(Child(neighbour, measure), at: place.child + 1) }
        }
        return node.width > node.limit ? node.split(measure) : nil
    }

    /// Moves the second half of this node to a new one.
    @inlinable
    final func split(_ measure: Measure) -> ListNode {
        let half = width / 2
        let neighbour: ListNode
        if isLeaf {
            neighbour = ListNode(elements: Array(elements[half...]), measure)
            elements.removeSubrange(half...)
        } else {
            neighbour = ListNode(children: Array(children[half...]))
            children.removeSubrange(half...)
        }
        count -= neighbour.count
        return neighbour
    }

    /// Removes the element at `index`. Precondition: `node.count > 1`.
    @inlinable
    static func remove(at index: Int, from node: inout ListNode, _ measure: Measure) -> Element {
        own(&node, measure)
        node.count -= 1
        if node.isLeaf {
            let removed = node.elements.remove(at: index)
            if index == 0 { node.first = node.elements[0] }
            return removed
        }
        let place = node.child(at: index)
        let removed = remove(at: place.index, from: &node.children[place.child].node, measure)
        node.children[place.child].update(measure)
        if index == 0 { node.first = node.children[0].node.first }
        let child = node.children[place.child].node
        if child.width < child.limit / 4, node.children.count > 1 { node.mend(place.child, measure) }
        return removed
    }

    /// Makes a child that has become narrow one with its neighbour, or shares the neighbour's content with it.
    @inlinable
    final func mend(_ narrow: Int, _ measure: Measure) {
        let left = max(narrow - 1, 0)
        let (a, b) = (children[left].node, children[left + 1].node)
        let joined =
            a.isLeaf
            ? ListNode(elements: a.elements + b.elements, measure) : ListNode(children: a.children + b.children)
        if joined.width > joined.limit {
            children[left + 1] = Child(joined.split(measure), measure)
        } else {
            children.remove(at: left + 1)
        }
        children[left] = Child(joined, measure)
    }

    /// Replaces the element at `index`, and returns the old one.
    @inlinable
    static func replace(
        at index: Int, of node: inout ListNode, with element: Element, _ measure: Measure
    ) -> Element {
        own(&node, measure)
        if index == 0 { node.first = element }
        if node.isLeaf {
            let old = node.elements[index]
            node.elements[index] = element
            return old
        }
        let place = node.child(at: index)
        let old = replace(at: place.index, of: &node.children[place.child].node, with: element, measure)
        node.children[place.child].update(measure)
        return old
    }

    /// Calls `body` with the elements of each leaf below this node and its note, in order.
    @inlinable
    final func forEachLeaf(_ body: ([Element], AnyObject?) throws -> Void) rethrows {
        if isLeaf { return try body(elements, note) }
        for child in children { try child.node.forEachLeaf(body) }
    }

    /// Checks the invariants of this node and of all nodes below it, and returns its depth.
    @inlinable
    package func checkInvariants(isRoot: Bool) -> Int {
        precondition(elements.isEmpty != children.isEmpty, "a node is a leaf or a branch")
        precondition(width <= limit, "a node is too wide")
        precondition(isRoot ? isLeaf || width > 1 : width >= limit / 4, "a node is too narrow")
        guard !isLeaf else {
            precondition(count == elements.count, "a leaf counts wrongly")
            return 0
        }
        precondition(count == children.reduce(0) { $0 + $1.count }, "a branch counts wrongly")
        precondition(children.allSatisfy { $0.count == $0.node.count }, "a branch counts its children wrongly")
        let depths = children.map { $0.node.checkInvariants(isRoot: false) }
        precondition(depths.allSatisfy { $0 == depths[0] }, "leaves lie at different depths")
        return depths[0] + 1
    }
}
