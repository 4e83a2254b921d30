package import SQLiteJournal
package import StateStore

/// A consistent copy of a node's copy, for a node that lacks entries that the log has trimmed.
package protocol CopyBase: AnyObject, Sendable {
    /// The number of bytes.
    var size: Int { get }
    /// Reads up to `count` bytes.
    func bytes(from offset: Int, count: Int) throws(JournalFailure) -> [UInt8]
}

/// The place of a base that a node receives.
package protocol BaseSink: AnyObject {
    /// Appends bytes.
    func write(_ bytes: [UInt8]) throws(JournalFailure)
    /// Makes the base the copy of the node, and ends. Call it once all bytes are written.
    func publish() throws(JournalFailure)
    /// Gives up the base.
    func end()
}

extension JournalBase: CopyBase {}
extension BaseDraft: BaseSink {}
