package import JSON

/// The value of a view as of a version: encoded once, for however many read it.
public struct Frame: Sendable {
    /// The value as JSON, or why there is none.
    public let value: Result<[UInt8], ViewFailure>
    /// The moment from which on it has been the value, as far as is known.
    public let since: Moment

    /// The value as a tree, if a subscriber in this process asked for trees.
    private let kept: Tree?

    init(value: Result<[UInt8], ViewFailure>, since: Moment, tree: JSON? = nil) {
        self.value = value
        self.since = since
        kept = tree.map { Tree($0) }
    }

    /// Returns the value as a tree. It is read from `value` if no subscriber asked for trees in time.
    package func tree() throws -> JSON {
        if let kept { return kept.json }
        return try JSON(parsing: value.get())
    }

    /// A tree behind a reference, so that a frame is copied as fast with one as without.
    private final class Tree: Sendable {
        let json: JSON

        init(_ json: JSON) {
            self.json = json
        }
    }

    /// The bytes of the value.
    package var size: Int { if case .success(let bytes) = value { bytes.count } else { 0 } }

    /// Whether this is its value. Told by hand, which is quicker than to ask two results whether they are equal.
    func has(_ other: Result<[UInt8], ViewFailure>) -> Bool {
        switch (value, other) {
        case (.success(let one), .success(let other)): one == other
        case (.failure(let one), .failure(let other)): one == other
        default: false
        }
    }

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
