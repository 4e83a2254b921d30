import JSON

/// The input of a call as a tree, from a caller in this process that has read it already. It says the same as the
/// bytes, which the journal keeps.
///
/// An object, so that a call is copied as fast with one as without.
final class InputTree: Sendable {
    let json: JSON

    init(_ json: JSON) {
        self.json = json
    }
}
