import JSON

/// The parsed input of a call, from a caller in this process. It equals the bytes, which the journal stores.
///
/// A class, so that copying a call costs the same with or without it.
package final class InputTree: Sendable {
    let json: JSON
    /// The action of the space itself that the call performs; nil for an action of a feature.
    package let action: (any SpaceAction)?
    /// The memory that the caller has made for a definition; nil for none.
    package let memory: ReplayedMemory?

    package init(_ json: JSON, action: (any SpaceAction)? = nil, memory: ReplayedMemory? = nil) {
        self.json = json
        self.action = action
        self.memory = memory
    }
}

/// An action of a space itself: the return to a past state, an erasure, an edit, several actions in one commit.
package protocol SpaceAction: AnyObject, Sendable {}
