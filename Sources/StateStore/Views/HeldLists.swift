/// The bounds of the lists that a space maintains although nobody subscribes, for the next reader.
package enum HeldLists {
    /// The maximum number of such lists of a space.
    package static let limit = 4
    /// The number of values after which a list is released that nobody has read.
    static let unreadLimit = 64
    /// The bytes of a space from which on such lists are worth it.
    static let bytesAtLeast = 256 * 1_024
}
