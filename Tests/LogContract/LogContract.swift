package import ReplicatedJournal
import Testing

/// One article of the contract that every shared log keeps.
package struct LogContract: Sendable, CustomTestStringConvertible {
    /// The rule in words.
    package let testDescription: String
    /// Checks the rule with two connections to one new log that has the lanes 0, 1 and 2.
    package let check: @Sendable (_ one: any SharedLog, _ other: any SharedLog) async throws -> Void

    init(
        _ words: String,
        _ check: @escaping @Sendable (_ one: any SharedLog, _ other: any SharedLog) async throws -> Void
    ) {
        testDescription = words
        self.check = check
    }

    /// All articles.
    package static let all = entries + following + leases + requests
}
