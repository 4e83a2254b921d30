package import JSON

/// The value of a view as of a moment, encoded once for all readers.
package struct Frame: Sendable {
    /// The value as JSON, or the reason that there is none.
    package let value: Result<ViewValue, ViewFailure>
    /// The earliest moment known to have this value.
    package let since: Moment
    /// The parsed value, if a subscriber in this process asked for trees.
    private let kept: Tree?

    package init(value: Result<ViewValue, ViewFailure>, since: Moment, tree: JSON? = nil) {
        self.value = value
        self.since = since
        kept = tree.map { Tree($0) }
    }

    /// Returns the parsed value. Parses `value` if no subscriber had asked for trees when the frame was made.
    package func tree() throws -> JSON {
        if let kept { return kept.json }
        return try JSON(parsing: value.get().bytes)
    }

    /// A tree behind a reference, so that copying a frame costs the same with or without it.
    private final class Tree: Sendable {
        let json: JSON

        init(_ json: JSON) {
            self.json = json
        }
    }

    /// True if the view does not exist any more.
    package var isGone: Bool { if case .failure(let failure) = value { failure.isGone } else { false } }

    /// True if there is no value.
    package var isFailure: Bool { if case .failure = value { true } else { false } }

    /// The number of bytes of the value.
    package var size: Int { if case .success(let value) = value { value.size } else { 0 } }

    /// Returns true if `other` is the same value. Written out, because `==` on two results is slower.
    package func has(_ other: Result<ViewValue, ViewFailure>) -> Bool {
        switch (value, other) {
        case (.success(let one), .success(let other)): one == other
        case (.failure(let one), .failure(let other)): one == other
        default: false
        }
    }

    /// The value of a view that has delivered none yet.
    package static let null = ViewValue(Array("null".utf8))
}

/// Values of views by name, all of one moment.
package typealias ViewFrames = [(view: ViewKey, frame: Frame)]

extension Frame {
    /// True if the value is `true`: the answer of a rule that allows its caller to read.
    package var isTrue: Bool {
        guard case .success(let value) = value else { return false }
        return value == ViewValue(Array("true".utf8))
    }
}
