import Ground
import Reactive
import Testing

@testable import StateStore

/// The clock of the spaces that are not loaded.
struct AlarmClockTests {
    private static let now = Timestamp(microseconds: 1_000_000)

    private let journal = MemoryJournal()
    private let executor = TestExecutor()

    /// The spaces that a clock wakes that owns those whose names begin with "own".
    private func woken() -> [String] {
        var woken: [String] = []
        let clock = AlarmClock(
            InlineJournalWriter(journal), on: executor, now: { Self.now },
            owns: { $0.description.hasPrefix("own") }, isOpen: { true }
        ) { space, done in
            woken.append("\(space)")
            executor.post { [done = Confined(done)] in done.value() }
        }
        clock.look()
        executor.runPosted()
        return woken
    }

    private func set(_ name: String, _ time: Int64) throws {
        let space = try #require(SpaceName(name))
        let record = CommitRecord(
            space: space, version: 1, at: Self.now, action: "a/b", input: nil,
            facts: [Fact(variable: "a.x", value: Array("1".utf8))], alarm: Timestamp(microseconds: time))
        _ = try journal.append([record])
    }

    @Test func `overdue alarms of other processes do not hide those of this one`() throws {
        for number in 0..<300 { try set("other\(number)", 5) }
        try set("own", 6)
        try set("own-late", Self.now.microseconds + 1)
        #expect(woken() == ["own"])
    }

    @Test func `overdue alarms of other processes do not keep the clock busy`() throws {
        for number in 0..<300 { try set("other\(number)", 5) }
        try set("own", Self.now.microseconds + 500)
        #expect(woken() == [])
        #expect(executor.scheduler.now < (executor.scheduler as? VirtualScheduler)?.next ?? .zero)
    }
}
