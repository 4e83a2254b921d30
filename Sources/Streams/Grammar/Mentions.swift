import JSON

/// What a document says that can be right only together with others: its id, and what it speaks of that is not in it, each with its place.
struct Mentions: Sendable {
    /// The id, where the document has one.
    var id: String?
    /// The streams that it refers to.
    var references: [(id: String, pointer: JSONPointer)] = []
    /// The views that it is fed by.
    var views: [(name: String, pointer: JSONPointer)] = []
    /// The inputs that it is fed by.
    var inputs: [(name: String, pointer: JSONPointer)] = []
}
