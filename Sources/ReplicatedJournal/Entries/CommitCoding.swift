internal import StateStore

/// The binary form of commits in the content of a batch.
enum CommitCoding {
    private struct CommitFlags: OptionSet {
        let rawValue: UInt8

        static let hasInput = CommitFlags(rawValue: 1)
        static let hasKey = CommitFlags(rawValue: 2)
        static let leavesWork = CommitFlags(rawValue: 4)
        static let hasAlarm = CommitFlags(rawValue: 8)
        /// Since format 2.
        static let hasWithheld = CommitFlags(rawValue: 16)
        /// The flags that this program reads. Another one would shift what follows it.
        static let known: CommitFlags = [.hasInput, .hasKey, .leavesWork, .hasAlarm, .hasWithheld]
    }

    /// Returns the format of entries that a commit needs.
    ///
    /// Programs that read format 1 only know neither places of private members, which they would show, nor erasures, which
    /// they would not carry out. Programs that read up to format 2 would take the first adding of a row for a part of it.
    /// Programs that read up to format 3 do not know the last actions of clients, and would perform them again.
    static func format(of commit: CommitRecord) -> UInt8 {
        if commit.hasQueueFacts { return 4 }
        if commit.facts.contains(where: \.hasAddings) { return 3 }
        return commit.withheld.isEmpty && !commit.erases ? LogEntry.firstFormat : 2
    }

    /// Writes a commit after those written before.
    static func write(_ commit: CommitRecord, to writer: inout EntryWriter) {
        var flags: CommitFlags = []
        let (input, idempotency, alarm) = (commit.input, commit.idempotency, commit.alarm)
        if input != nil { flags.insert(.hasInput) }
        if idempotency != nil { flags.insert(.hasKey) }
        if commit.leavesWork { flags.insert(.leavesWork) }
        if alarm != nil { flags.insert(.hasAlarm) }
        if !commit.withheld.isEmpty { flags.insert(.hasWithheld) }
        writer.byte(flags.rawValue)
        writer.text(commit.space.description)
        writer.count(commit.version)
        writer.count(commit.common)
        writer.signed(commit.at.microseconds)
        writer.text(commit.action)
        writer.text(commit.by)
        writer.bytes(commit.result)
        if let input { writer.bytes(input) }
        if let idempotency {
            writer.text(idempotency.key)
            writer.word(idempotency.fingerprint)
        }
        if let alarm { writer.signed(alarm.microseconds) }
        if !commit.withheld.isEmpty {
            writer.count(commit.withheld.count)
            for place in commit.withheld { writer.text(place) }
        }
        writer.count(commit.facts.count)
        for fact in commit.facts { writer.fact(fact) }
    }

    /// Reads all commits of a content.
    static func read(_ content: [UInt8]) throws(EntryFault) -> [CommitRecord] {
        var reader = EntryReader(content)
        var commits: [CommitRecord] = []
        while !reader.isAtEnd { commits.append(try read(from: &reader)) }
        return commits
    }

    private static func read(from reader: inout EntryReader) throws(EntryFault) -> CommitRecord {
        let flags = CommitFlags(rawValue: try reader.byte())
        guard flags.isSubset(of: .known) else { throw .malformed }
        guard let space = SpaceName(try reader.text()) else { throw .malformed }
        let version = try reader.number()
        let common = try reader.number()
        let at = Timestamp(microseconds: try reader.signed())
        let action = try reader.text()
        let by = try reader.text()
        let result = try reader.bytes()
        let input = flags.contains(.hasInput) ? try reader.bytes() : nil
        var idempotency: Idempotency?
        if flags.contains(.hasKey) {
            idempotency = Idempotency(key: try reader.text(), fingerprint: try reader.word())
        }
        let alarm = flags.contains(.hasAlarm) ? Timestamp(microseconds: try reader.signed()) : nil
        var withheld: [String] = []
        if flags.contains(.hasWithheld) {
            for _ in 0..<(try reader.count(of: 1)) { withheld.append(try reader.text()) }
        }
        var facts: [Fact] = []
        for _ in 0..<(try reader.count(of: 2)) { facts.append(try reader.fact()) }
        return CommitRecord(
            space: space, version: version, at: at, action: action, input: input, facts: Facts(facts),
            idempotency: idempotency, leavesWork: flags.contains(.leavesWork), common: common, by: by, alarm: alarm,
            result: result, withheld: withheld)
    }
}
