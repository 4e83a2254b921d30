/// The version of a NATS server.
package struct ServerVersion: Comparable, Sendable, CustomStringConvertible {
    /// The oldest version whose streams a cluster trusts: earlier ones accepted two conditional updates of one subject
    /// (before 2.9.21) and lost messages when the servers of a stream changed (before 2.12.3).
    package static let oldest = ServerVersion(2, 12, 3)

    let major: Int
    let minor: Int
    let patch: Int

    init(_ major: Int, _ minor: Int, _ patch: Int) {
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// Reads a version such as `2.12.3` or `2.12.3-RC.1`; nil if it is none.
    package init?(_ text: some StringProtocol) {
        let numbers = text.prefix { $0 != "-" && $0 != "+" }.split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == 3, let major = Int(numbers[0]), let minor = Int(numbers[1]), let patch = Int(numbers[2]),
            [major, minor, patch].allSatisfy({ $0 >= 0 })
        else { return nil }
        self.init(major, minor, patch)
    }

    /// Orders versions by their numbers.
    package static func < (left: ServerVersion, right: ServerVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    /// The version as text.
    package var description: String { "\(major).\(minor).\(patch)" }
}
