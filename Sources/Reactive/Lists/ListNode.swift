/// A node of a list tree: a leaf with elements, or a branch with nodes that are all of one depth.
///
/// A node that several trees share never changes; a tree copies it before it writes.
@usableFromInline
package final class ListNode<Element> {
    /// The number of elements below this node.
    @usableFromInline package final var count: Int
    /// The first element below this node, kept here so that a search reads one node for each step.
    @usableFromInline final var first: Element
    /// The elements of a leaf; empty in a branch.
    @usableFromInline package final var elements: [Element]
    /// The nodes of a branch; empty in a leaf.
    @usableFromInline package final var children: [ListNode]
    /// A value that a reader computed from this node and keeps with it; nil again after a change.
    @usableFromInline final var memo: ListMemo?

    /// A leaf. Precondition: `!elements.isEmpty`.
    @inlinable
    init(elements: [Element]) {
        count = elements.count
        first = elements[0]
        self.elements = elements
        children = []
    }

    /// A branch. Precondition: `!children.isEmpty`.
    @inlinable
    init(children: [ListNode]) {
        count = children.reduce(0) { $0 + $1.count }
        first = children[0].first
        elements = []
        self.children = children
    }

    /// A copy, whose children both share.
    @inlinable
    init(copying node: ListNode) {
        count = node.count
        first = node.first
        elements = node.elements
        children = node.children
    }

    @inlinable package final var isLeaf: Bool { children.isEmpty }

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
        if index == 0 { node.first = element }
        if node.isLeaf {
            node.elements.insert(element, at: index)
        } else {
            let place = node.child(at: index)
            if let neighbour = insert(element, at: place.index, into: &node.children[place.child]) {
                node.children.insert(neighbour, at: place.child + 1)
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
            neighbour = ListNode(children: Array(children[half...]))
            children.removeSubrange(half...)
        }
        count -= neighbour.count
        return neighbour
    }

    /// Removes the element at `index`. Precondition: `node.count > 1`.
    @inlinable
    static func remove(at index: Int, from node: inout ListNode) -> Element {
        own(&node)
        node.count -= 1
        let removed: Element
        if node.isLeaf {
            removed = node.elements.remove(at: index)
            if index == 0 { node.first = node.elements[0] }
        } else {
            let place = node.child(at: index)
            removed = remove(at: place.index, from: &node.children[place.child])
            let child = node.children[place.child]
            if child.width < child.limit / 4, node.children.count > 1 { node.mend(place.child) }
            if index == 0 { node.first = node.children[0].first }
        }
        return removed
    }

    /// Makes a child that has become narrow one with its neighbour, or shares the neighbour's content with it.
    @inlinable
    final func mend(_ narrow: Int) {
        let left = max(narrow - 1, 0)
        let (a, b) = (children[left], children[left + 1])
        let joined =
            a.isLeaf ? ListNode(elements: a.elements + b.elements) : ListNode(children: a.children + b.children)
        if joined.width > joined.limit {
            let neighbour = joined.split()
            children[left + 1] = neighbour
        } else {
            children.remove(at: left + 1)
        }
        children[left] = joined
    }

    /// Replaces the element at `index`.
    @inlinable
    static func replace(at index: Int, of node: inout ListNode, with element: Element) {
        own(&node)
        if index == 0 { node.first = element }
        if node.isLeaf {
            node.elements[index] = element
        } else {
            let place = node.child(at: index)
            replace(at: place.index, of: &node.children[place.child], with: element)
        }
    }

    /// Checks what must hold of this node and of all below it, and returns its depth.
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
        let depths = children.map { $0.checkInvariants(isRoot: false) }
        precondition(depths.allSatisfy { $0 == depths[0] }, "leaves lie at different depths")
        return depths[0] + 1
    }
}
