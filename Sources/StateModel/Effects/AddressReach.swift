/// The addresses that a request to a URL of a client may connect to. Such a request uses no proxy and follows no redirect.
package enum AddressReach: Int, Hashable, Sendable, Comparable {
    /// Addresses that the whole Internet can reach.
    case global
    /// These, and those of private networks and of this machine.
    case local
    /// Any address: the operator has named it.
    case any

    /// Orders by the number of addresses.
    package static func < (one: AddressReach, other: AddressReach) -> Bool { one.rawValue < other.rawValue }
}
