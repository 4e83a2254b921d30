/// The memory that a definition has after the history of its space, as a caller in this process has computed it.
package struct ReplayedMemory: Sendable {
    /// The variable of the memory.
    package let variable: String
    /// The entries, by key.
    package let entries: [String: [UInt8]]
    /// The version of the space after the history.
    package let version: Int

    /// The entries of a memory.
    package init(of memory: Memory, at version: Int) {
        variable = memory.variable
        var entries: [String: [UInt8]] = [:]
        for key in memory.keys { entries[key] = memory[key] }
        self.entries = entries
        self.version = version
    }
}
