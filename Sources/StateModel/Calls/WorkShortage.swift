/// The refusal of work that takes more steps than one piece of work of its loop may.
package enum WorkShortage {
    /// The steps of formulas that a request or a commit may take in all, on a loop that many spaces share.
    package static let steps = 400_000
    /// The steps on the loop of large spaces.
    package static let stepsOfLargeSpaces = 400_000_000
    /// The bytes of values that a request or a commit may make in all, on a loop that many spaces share.
    package static let bytes = 32 << 20
    /// The reason, and the way out.
    package static let words =
        "the views and streams that one request or commit computes take more steps than it may, or make more bytes: read fewer at once, or fewer rows"
}
