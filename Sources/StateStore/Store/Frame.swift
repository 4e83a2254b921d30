/// The value of a view as of a version: encoded once, for however many read it.
public struct Frame: Sendable {
    /// The value as JSON, or why there is none.
    public let value: Result<[UInt8], ViewFailure>
    /// The moment from which on it has been the value, as far as is known.
    public let since: Moment
    /// How often the value changed within that moment, by time alone.
    public var beat = 0

    /// The value of a view that has none yet.
    static let null = Array("null".utf8)
}

/// A version of a space and a version of `common`: what is derived is always of one of each.
public struct Moment: Hashable, Comparable, Sendable {
    /// The version of the space.
    public let version: Int
    /// The version of `common`.
    public let common: Int

    /// Whether one moment was before another; neither version ever goes back where both are shown.
    public static func < (one: Moment, other: Moment) -> Bool {
        (one.version, one.common) < (other.version, other.common)
    }
}
