import Ground
package import JSON

/// A commit of a space, as the remembering operators of the space see it.
package struct OwnChange {
    /// The action, as `feature/name`.
    package let action: String
    /// The input as the caller sent it; nil for none.
    let input: [UInt8]?
    /// The version after the commit.
    package let version: Int
    /// The time of the commit.
    package let at: Timestamp

    package init(action: String, input: [UInt8]?, version: Int, at: Timestamp) {
        self.action = action
        self.input = input
        self.version = version
        self.at = at
    }

    /// The commit as a tree: `action`, `at`, `input` and `version`. An input that was not sent is an empty object.
    package func tree() throws(JSONError) -> JSON {
        [
            "action": .string(action), "at": .string(RFC3339.text(microseconds: at.microseconds)),
            "input": try input.map { bytes throws(JSONError) in try JSON(parsing: bytes) } ?? [:],
            "version": .number(Decimal(version)),
        ]
    }
}
