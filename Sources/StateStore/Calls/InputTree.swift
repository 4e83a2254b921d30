import JSON

/// The parsed input of a call, from a caller in this process. It equals the bytes, which the journal stores.
///
/// A class, so that copying a call costs the same with or without it.
final class InputTree: Sendable {
    let json: JSON
    /// The memory that the caller has made for a definition; nil for none.
    let memory: ReplayedMemory?

    init(_ json: JSON, _ memory: ReplayedMemory?) {
        self.json = json
        self.memory = memory
    }
}

/// The memory that a definition has after the history of its space, as a caller in this process has computed it.
package struct ReplayedMemory: Sendable {
    /// The variable of the memory.
    package let variable: String
    /// The entries, by key.
    package let entries: [String: [UInt8]]
    /// The version of the space after the history.
    package let version: Int

    package init(of memory: Memory, at version: Int) {
        variable = memory.variable
        var entries: [String: [UInt8]] = [:]
        for key in memory.keys { entries[key] = memory[key] }
        self.entries = entries
        self.version = version
    }
}
