/// The reason that the bytes of an entry cannot be read.
package enum EntryFault: Error, Hashable, Sendable {
    /// A newer program wrote the entry in a format that this one does not know.
    case unknownFormat(UInt8)
    /// The bytes are no entry.
    case malformed
}
