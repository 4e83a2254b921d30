import JSON

/// The names in a document that are checked against the rest of the space: its id, and the streams, views and inputs
/// that it mentions, each with its place.
struct Mentions: Sendable {
    /// The id, if the document has one.
    var id: String?
    /// The streams that the document refers to.
    var references: [(id: String, pointer: JSONPointer)] = []
    /// The views that feed it.
    var views: [(name: String, pointer: JSONPointer)] = []
    /// The actions whose commits feed it.
    var actions: [(name: String, pointer: JSONPointer)] = []
    /// The inputs that feed it.
    var inputs: [(name: String, pointer: JSONPointer)] = []
}
