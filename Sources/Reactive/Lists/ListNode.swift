/// A node of a list tree: a leaf with elements, or a branch with nodes that are all of one depth.
///
/// A node that several trees share never changes; a tree copies it before it writes.
@usableFromInline
package final class ListNode<Element> {
    /// A child of a branch, with its number of elements: a search for a place reads one array in each branch.
    @usableFromInline
    package struct Child {
        @usableFromInline package var node: ListNode
        @usableFromInline var count: Int

        @inlinable
        init(_ node: ListNode) {
            self.node = node
            count = node.count
        }
    }

    /// The number of elements below this node.
    @usableFromInline package final var count: Int
    /// The elements of a leaf; empty in a branch.
    @usableFromInline package final var elements: [Element]
    /// The nodes of a branch; empty in a leaf.
    @usableFromInline package final var children: [Child]
    /// The first element below each child, kept here so that a search reads one array in each branch.
    @usableFromInline final var firsts: [Element]
    /// A value that was computed from this node and stays with it; nil again after a change.
    @usableFromInline final var memo: AnyObject?

    /// A leaf. Precondition: `!elements.isEmpty`.
    @inlinable
    init(elements: [Element]) {
        count = elements.count
        self.elements = elements
        children = []
        firsts = []
    }

    /// A branch. Precondition: `!children.isEmpty`.
    @inlinable
    init(children: [ListNode]) {
        count = children.reduce(0) { $0 + $1.count }
        elements = []
        self.children = children.map { Child($0) }
        firsts = children.map(\.first)
    }

    /// A branch of children whose first elements are known. Precondition: `!children.isEmpty`.
    @inlinable
    init(children: [Child], firsts: [Element]) {
        count = children.reduce(0) { $0 + $1.count }
        elements = []
        self.children = children
        self.firsts = firsts
    }

    /// A copy, whose children both share.
    @inlinable
    init(copying node: ListNode) {
        count = node.count
        elements = node.elements
        children = node.children
        firsts = node.firsts
    }

    @inlinable package final var isLeaf: Bool { children.isEmpty }

    /// The first element below this node.
    @inlinable final var first: Element { isLeaf ? elements[0] : firsts[0] }

    /// The most elements of a leaf. A change of a shared leaf copies it, a search within it compares log2 of this many.
    @inlinable static var leafLimit: Int { 32 }
    /// The most children of a branch.
    @inlinable static var branchLimit: Int { 8 }

    /// The number of elements or children of this node.
    @inlinable final var width: Int { isLeaf ? elements.count : children.count }
    /// The most of them.
    @inlinable final var limit: Int { isLeaf ? Self.leafLimit : Self.branchLimit }

    /// Replaces a node that others share by a copy, which may then be changed, and forgets its memo.
    @inlinable
    static func own(_ node: inout ListNode) {
        if isKnownUniquelyReferenced(&node) {
            if node.memo != nil { node.memo = nil }
        } else {
            node = ListNode(copying: node)
        }
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
    static func insert(_ element: Element, at index: Int, into node: inout ListNode) -> ListNode? {
        own(&node)
        node.count += 1
        if node.isLeaf {
            node.elements.insert(element, at: index)
        } else {
            let place = node.child(at: index)
            if place.index == 0 { node.firsts[place.child] = element }
            node.children[place.child].count += 1
            if let neighbour = insert(element, at: place.index, into: &node.children[place.child].node) {
                node.children[place.child].count -= neighbour.count
                node.children.insert(Child(neighbour), at: place.child + 1)
                node.firsts.insert(neighbour.first, at: place.child + 1)
            }
        }
        return node.width > node.limit ? node.split() : nil
    }

    /// Moves the second half of this node to a new one.
    @inlinable
    final func split() -> ListNode {
        let half = width / 2
        let neighbour: ListNode
        if isLeaf {
            neighbour = ListNode(elements: Array(elements[half...]))
            elements.removeSubrange(half...)
        } else {
            neighbour = ListNode(children: Array(children[half...]), firsts: Array(firsts[half...]))
            children.removeSubrange(half...)
            firsts.removeSubrange(half...)
        }
        count -= neighbour.count
        return neighbour
    }

    /// Removes the element at `index`. Precondition: `node.count > 1`.
    @inlinable
    static func remove(at index: Int, from node: inout ListNode) -> Element {
        own(&node)
        node.count -= 1
        if node.isLeaf { return node.elements.remove(at: index) }
        let place = node.child(at: index)
        let removed = remove(at: place.index, from: &node.children[place.child].node)
        node.children[place.child].count -= 1
        let child = node.children[place.child].node
        if place.index == 0 { node.firsts[place.child] = child.first }
        if child.width < child.limit / 4, node.children.count > 1 { node.mend(place.child) }
        return removed
    }

    /// Makes a child that has become narrow one with its neighbour, or shares the neighbour's content with it.
    @inlinable
    final func mend(_ narrow: Int) {
        let left = max(narrow - 1, 0)
        let (a, b) = (children[left].node, children[left + 1].node)
        let joined =
            a.isLeaf
            ? ListNode(elements: a.elements + b.elements)
            : ListNode(children: a.children + b.children, firsts: a.firsts + b.firsts)
        if joined.width > joined.limit {
            let neighbour = joined.split()
            children[left + 1] = Child(neighbour)
            firsts[left + 1] = neighbour.first
        } else {
            children.remove(at: left + 1)
            firsts.remove(at: left + 1)
        }
        children[left] = Child(joined)
    }

    /// Replaces the element at `index`, and returns the old one.
    @inlinable
    static func replace(at index: Int, of node: inout ListNode, with element: Element) -> Element {
        own(&node)
        if node.isLeaf {
            let old = node.elements[index]
            node.elements[index] = element
            return old
        }
        let place = node.child(at: index)
        if place.index == 0 { node.firsts[place.child] = element }
        return replace(at: place.index, of: &node.children[place.child].node, with: element)
    }

    /// Checks the invariants of this node and of all nodes below it, and returns its depth.
    @inlinable
    package func checkInvariants(isRoot: Bool) -> Int {
        precondition(elements.isEmpty != children.isEmpty, "a node is a leaf or a branch")
        precondition(width <= limit, "a node is too wide")
        precondition(isRoot ? isLeaf || width > 1 : width >= limit / 4, "a node is too narrow")
        precondition(firsts.count == children.count, "a branch has a first element for each child")
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
