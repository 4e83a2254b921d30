import JSON

/// The parsed input of a call, from a caller in this process. It equals the bytes, which the journal stores.
///
/// A class, so that copying a call costs the same with or without it.
package final class InputTree: Sendable {
    let json: JSON
    /// The past state that the call returns to, the row that it erases, or the actions that it performs; nil for one action.
    package let restoration: (any RestorationContent)?
    /// The memory that the caller has made for a definition; nil for none.
    package let memory: ReplayedMemory?

    package init(_ json: JSON, restoration: (any RestorationContent)? = nil, memory: ReplayedMemory? = nil) {
        self.json = json
        self.restoration = restoration
        self.memory = memory
    }
}
