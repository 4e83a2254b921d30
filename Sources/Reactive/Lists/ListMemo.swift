extension ListTree {
    /// Returns the memo of the whole tree; nil if the tree is empty.
    ///
    /// A memo is an object that is made of the elements of a leaf or of the memos of a branch's children, and that its
    /// node keeps until an element below it changes. So after a change O(log n) memos are made again. Afterwards each
    /// node of this tree has its memo, and none changes while this tree exists: other threads may read them.
    ///
    /// Precondition: all calls for a tree and its copies make memos of one type, and of equal meaning.
    @inlinable
    package func memo<Memo: AnyObject>(
        make: () -> Memo, leaf: (Memo, [Element]) -> Void, branch: (Memo, Memo) -> Void
    ) -> Memo? {
        root.map { Self.memo(of: $0, make: make, leaf: leaf, branch: branch) }
    }

    @inlinable
    static func memo<Memo: AnyObject>(
        of node: ListNode<Element>, make: () -> Memo, leaf: (Memo, [Element]) -> Void, branch: (Memo, Memo) -> Void
    ) -> Memo {
        if let known = node.memo { return unsafe unsafeDowncast(known, to: Memo.self) }
        let memo = make()
        if node.isLeaf {
            leaf(memo, node.elements)
        } else {
            // By index, because iteration would retain each child.
            for index in node.children.indices {
                branch(memo, Self.memo(of: node.children[index].node, make: make, leaf: leaf, branch: branch))
            }
        }
        node.memo = memo
        return memo
    }

    /// Calls `body` with the elements of each leaf and the memo of the leaf, if it has one, in order.
    @inlinable
    package func forEachLeaf(_ body: ([Element], AnyObject?) throws -> Void) rethrows {
        if let root { try Self.walk(root, body) }
    }

    @inlinable
    static func walk(_ node: ListNode<Element>, _ body: ([Element], AnyObject?) throws -> Void) rethrows {
        if node.isLeaf { return try body(node.elements, node.memo) }
        for child in node.children { try walk(child.node, body) }
    }
}
