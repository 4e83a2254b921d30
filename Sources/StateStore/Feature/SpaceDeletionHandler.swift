import JSON

/// In `common`: how what is kept there for a space ends when the space is forgotten. The store says it, before the space can be used again; where it
/// was stopped between the two, it says it when it starts. Clients are not offered it.
public struct SpaceDeletionHandler {
    /// The spaces for which something is kept, by name.
    let spaces: (borrowing Commit) -> Set<String>
    private let finding: InternalAction<DeletedSpace>

    /// A farewell to one of some spaces, each by its name.
    public init(
        to spaces: @escaping (borrowing Commit) -> Set<String>,
        _ perform: @escaping (_ space: String, inout Commit) throws(Rejection) -> Void
    ) {
        self.spaces = spaces
        finding = InternalAction { input, commit throws(Rejection) in try perform(input.space, &commit) }
    }
}

extension SpaceDeletionHandler: AnyAction {
    static var inputSchema: JSON { DeletedSpace.schema }
    static var isForClients: Bool { false }
    var run: ([UInt8]?, inout Commit) throws(Rejection) -> Void { finding.run }
}

/// That a space is gone.
struct DeletedSpace: Record {
    var space = ""

    static let shape = Shape(DeletedSpace()) {
        $0.required("space", \.space)
    }
}
