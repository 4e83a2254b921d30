/// A value that was computed from a node of a list tree and stays with it.
@usableFromInline
class ListMemo {
    /// The one who computed it. Kept alive, so that no other is taken for it.
    @usableFromInline final let owner: ListMemoOwner
    /// The size of what is below the node.
    @usableFromInline final let size: Int

    @inlinable
    init(owner: ListMemoOwner, size: Int) {
        self.owner = owner
        self.size = size
    }
}

/// The identity of one who computes memos. All memos of one owner are of one type.
@usableFromInline
final class ListMemoOwner {
    @inlinable init() {}
}

/// The memo of a leaf: the piece that it is written as.
@usableFromInline
final class ListPiece<Piece>: ListMemo {
    @usableFromInline let piece: Piece

    @inlinable
    init(owner: ListMemoOwner, _ piece: Piece, size: Int) {
        self.piece = piece
        super.init(owner: owner, size: size)
    }
}
