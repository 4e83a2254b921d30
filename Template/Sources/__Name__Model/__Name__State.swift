public import Reactive
public import StateModel

/// The notes of a space.
public struct __Name__State {
    /// The notes by their ids.
    public let notes = Table<String, Note>()

    /// No notes.
    public init() {}
}

/// A note.
public struct Note: Record {
    /// The id.
    public var id = ""
    /// The text.
    public var text = ""
    /// The time at which the note was added.
    public var at = Timestamp(seconds: 0)

    /// A blank note.
    public init() {}

    init(id: String, text: String, at: Timestamp) { (self.id, self.text, self.at) = (id, text, at) }
}
