import Ground
package import JSON

/// A commit of a space, as the remembering operators of the space see it.
package struct OwnChange {
    /// The action, as `feature/name`.
    package let action: String
    /// The input as the caller sent it; nil for none.
    let input: [UInt8]?
    /// The private parts of the input.
    private let withheld: PrivateParts
    /// The version after the commit.
    package let version: Int
    /// The time of the commit.
    package let at: Timestamp

    package init(action: String, input: [UInt8]?, withholding withheld: PrivateParts, version: Int, at: Timestamp) {
        self.action = action
        self.input = input
        self.withheld = withheld
        self.version = version
        self.at = at
    }

    /// The commit as a tree: `action`, `at`, `input` and `version`. An input that was not sent is an empty object. Private
    /// parts of the input are null.
    package func tree() throws(JSONError) -> JSON {
        [
            "action": .string(action), "at": .string(RFC3339.text(microseconds: at.microseconds)),
            "input": try input.map { bytes throws(JSONError) in withheld.masking(try JSON(parsing: bytes)) } ?? [:],
            "version": .number(Decimal(version)),
        ]
    }
}
