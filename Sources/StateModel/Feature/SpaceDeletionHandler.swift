import JSON

/// An action of a feature in `common` that deletes what the feature keeps for a space, when that space is deleted.
///
/// The store performs it before the space can be used again. If the process stops in between, the store performs it at
/// the next start. Clients are not offered it.
public struct SpaceDeletionHandler {
    private let action: InternalAction<DeletedSpace>
    /// The names of the spaces that the feature keeps something for.
    package let spaces: (borrowing Commit) -> Set<String>

    /// A handler for the spaces that `spaces` returns, by name.
    public init(
        to spaces: @escaping (borrowing Commit) -> Set<String>,
        _ perform: @escaping (_ space: String, inout Commit) throws(Rejection) -> Void
    ) {
        self.spaces = spaces
        action = InternalAction { input, commit throws(Rejection) in try perform(input.space, &commit) }
    }
}

extension SpaceDeletionHandler: AnyAction {
    package static var inputSchema: JSON { DeletedSpace.schema }
    package static var isForClients: Bool { false }
    package var closures: ActionClosures { action.closures }
}

/// The name of a deleted space.
struct DeletedSpace: Record {
    var space = ""

    static let shape = Shape(DeletedSpace()) {
        $0.required("space", \.space)
    }
}
