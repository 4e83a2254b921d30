/// The pieces that a list is written in: one for each leaf of its tree, made once and kept with the leaf until a row of the leaf changes.
///
/// A change of one row makes one or two pieces anew. To write the whole takes one step for each piece, and its size is known in O(log n).
/// What a single row is written as is best kept by a list of its own: `list.map(encode)`, of which the pieces are made.
///
/// A leaf keeps the pieces of one `ListPieces`; where two take turns on one list, each makes its pieces anew. Not for several threads at once.
public final class ListPieces<Key: Hashable, Row: Equatable, Piece> {
    @usableFromInline let owner = ListMemoOwner()
    @usableFromInline let make: ([RowList<Key, Row>.Entry]) -> Piece
    @usableFromInline let size: (Piece) -> Int

    /// Pieces that `make` makes of the entries of a leaf, at least one, and `size` measures.
    @inlinable
    public init(size: @escaping (Piece) -> Int, make: @escaping ([RowList<Key, Row>.Entry]) -> Piece) {
        self.size = size
        self.make = make
    }

    /// The size of all pieces of a list.
    @inlinable
    public func size(of list: RowList<Key, Row>) -> Int {
        list.tree.root.map { memo(of: $0).size } ?? 0
    }

    /// Calls `body` with each piece of a list, in order.
    @inlinable
    public func forEach(of list: RowList<Key, Row>, _ body: (Piece) throws -> Void) rethrows {
        if let root = list.tree.root { try walk(root, body) }
    }

    /// The pieces of a list, in order.
    @inlinable
    public func pieces(of list: RowList<Key, Row>) -> [Piece] {
        var pieces: [Piece] = []
        forEach(of: list) { pieces.append($0) }
        return pieces
    }

    @inlinable
    func walk(_ node: ListNode<RowList<Key, Row>.Entry>, _ body: (Piece) throws -> Void) rethrows {
        if node.isLeaf {
            // A memo of this owner in a leaf is a piece.
            try body(unsafe unsafeDowncast(memo(of: node), to: ListPiece<Piece>.self).piece)
        } else {
            for child in node.children { try walk(child, body) }
        }
    }

    /// The memo of a node, made now if it is not there or another's.
    @inlinable
    func memo(of node: ListNode<RowList<Key, Row>.Entry>) -> ListMemo {
        if let known = node.memo, known.owner === owner { return known }
        let memo: ListMemo
        if node.isLeaf {
            let piece = make(node.elements)
            memo = ListPiece(owner: owner, piece, size: size(piece))
        } else {
            memo = ListMemo(owner: owner, size: node.children.reduce(0) { $0 + self.memo(of: $1).size })
        }
        node.memo = memo
        return memo
    }
}
