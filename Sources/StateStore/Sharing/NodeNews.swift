/// The reason that a process is told of a space.
package enum NodeNews: UInt8, Hashable, Sendable {
    /// Rows in memory only have changed.
    case rows = 0
    /// The owner of the space does not know which clients of the process are present.
    case presence = 1
}
