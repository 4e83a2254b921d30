@testable import Hosting
import JSON
import StateStore
import Testing

@testable import Documents

/// Law DOC6: a recurring schedule fires once for each of its times, in the spaces that are there.
struct RecurringTests {
    private static let start = TrialServer.start.seconds

    /// A feature that counts the firings of one schedule.
    private static func document(_ schedule: String, home: String = "space", tests: String = "[]") -> String {
        #"""
        {"feature": "clock", "home": "\#(home)",
         "state": {"count": {"value": {"type": "integer"}, "initial": 0},
           "seen": {"value": {"type": "string"}, "initial": ""}},
         "actions": {
           "touch": {"input": {"type": "object", "properties": {"seen": {"type": "string"}}},
             "do": [{"set": "seen", "to": "input.seen"}]},
           "tick": {"input": {"type": "object", "properties": {"at": {"type": "string"}}}, "allow": "false",
             "do": [{"set": "count", "to": "state.count + 1"}]},
           "never": {"require": [{"that": "false", "else": {"detail": "never"}}], "do": []}},
         "views": {"count": {"expression": "state.count"}},
         "schedules": {"beat": {\#(schedule), "act": "tick", "input": "{'at': string(now)}"}},
         "tests": \#(tests)}
        """#
    }

    private let journal = MemoryJournal()

    private func server(_ document: String, after seconds: Int = 0) throws -> DocumentServer {
        let executor = SimulatedExecutor(from: TrialServer.start)
        executor.advance(.seconds(seconds))
        return try DocumentServer([parse(document)], journal, executor)
    }

    private func name(_ space: String) throws -> SpaceName { try #require(SpaceName(space)) }

    private func commits(_ space: String = "test") throws -> [CommitRecord] {
        switch try journal.read(name(space), after: 0, limit: 10_000) {
        case .commits(let records): records
        default: []
        }
    }

    /// The times of the firings, in seconds since the start.
    private func firings(_ space: String = "test") throws -> [Int] {
        try commits(space).filter { $0.action == "clock/tick" }.map { Int($0.at.seconds - Self.start) }
    }

    private func advance(_ server: DocumentServer, _ seconds: Int) {
        #expect(server.server.advance(.seconds(seconds)) { true })
    }

    private func touch(_ server: DocumentServer, in space: String? = nil) throws {
        try server.act("clock/touch", ["seen": .string("now \(server.server.now)")], in: space)
    }

    @Test(arguments: ["space", "common"])
    func `a test of a document waits for its recurring schedules`(_ home: String) throws {
        let tests = #"""
            [{"name": "it beats", "steps": [{"act": "touch", "input": {"seen": "a"}}, {"after": 60}, {"expect": {"count": 1}},
              {"after": 3540}, {"expect": {"count": 60}}]},
             {"name": "it begins anew", "steps": [{"act": "touch", "input": {"seen": "b"}}, {"expect": {"count": 0}}]}]
            """#
        let features = try compile(["clock": parse(Self.document(#""every": 60"#, home: home, tests: tests))])
        let found = FeatureCompiler().test(features, of: "clock", beside: try Registry([])) { true }
        #expect(found.failed.map(\.detail) == [])
        #expect(found.passed == 2)
    }

    @Test func `an exact period has the multiples of the period`() throws {
        let server = try server(Self.document(#""every": 600, "exact": true"#), after: 50)
        try touch(server)
        advance(server, 2_000)
        #expect(try firings() == [600, 1_200, 1_800])
        #expect(try JSON(parsing: commits()[1].input ?? []) == ["at": "2026-01-01T00:10:00Z"])
    }

    @Test func `a period is spread over the spaces`() throws {
        let server = try server(Self.document(#""every": 600"#))
        let spaces = (0..<40).map { "s\($0)" }
        for space in spaces { try touch(server, in: space) }
        advance(server, 1_800)
        var offsets: Set<Int> = []
        for space in spaces {
            let times = try firings(space)
            #expect(times.count == 3)
            #expect(times.dropFirst().map { $0 - times[0] } == [600, 1_200])
            offsets.insert(times.first ?? 0)
        }
        #expect(offsets.count > 30)
    }

    @Test func `a feature in common recurs each second, without any action`() throws {
        let server = try server(Self.document(#""every": 1"#, home: "common"))
        advance(server, 5)
        #expect(try firings("common") == [1, 2, 3, 4, 5])
        #expect(try commits("common").first?.action == "schedules/began")
        #expect(try server.view("clock.count") == 5)
    }

    @Test func `nothing recurs in a space without commits`() throws {
        let server = try server(Self.document(#""every": 60"#))
        #expect(try server.view("clock.count", in: "a") == 0)
        advance(server, 1_000)
        #expect(try commits("a").isEmpty)
        #expect(try server.view("clock.count", in: "a") == 0)
    }

    @Test func `a schedule begins in spaces that were there before it`() throws {
        let old = try self.server(Self.document(#""for": "seen", "at": "row""#))
        let spaces = (0..<200).map { "s\($0)" }
        for space in spaces { try touch(old, in: space) }
        let new = try server(Self.document(#""every": 600, "exact": true"#), after: 100)
        advance(new, 1_100)
        for space in spaces {
            #expect(try firings(space) == [600, 1_200])
            #expect(try commits(space).map(\.action).prefix(2) == ["clock/touch", "schedules/began"])
        }
    }

    @Test func `a schedule begins in sleeping spaces when its document is put`() throws {
        let server = try DeployedServer(journal)
        try server.put(Self.document(#""for": "seen", "at": "row""#))
        server.stores[0].idleLimit = 3
        let spaces = (0..<150).map { "s\($0)" }
        for space in spaces { try server.act("clock/touch", ["seen": .string(space)], in: name(space)) }
        #expect(server.stores[0].loadedCount <= 3)
        try server.put(Self.document(#""every": 600, "exact": true"#))
        server.advance(599)
        #expect(server.stores[0].loadedCount <= 3)
        for space in spaces { #expect(try commits(space).map(\.action) == ["clock/touch", "schedules/began"]) }
        server.advance(601)
        for space in spaces { #expect(try firings(space) == [600, 1_200]) }
        // Without the schedule nothing happens.
        try server.put(Self.document(#""for": "seen", "at": "row""#))
        server.advance(3_000)
        for space in spaces { #expect(try firings(space) == [600, 1_200]) }
    }

    @Test func `a schedule goes on after a restart, and makes up for what was missed once`() throws {
        let document = Self.document(#""every": 600, "exact": true"#)
        let first = try server(document)
        try touch(first)
        advance(first, 700)
        let second = try server(document, after: 3_100)
        advance(second, 0)
        #expect(try firings() == [600, 3_100])
        advance(second, 500)
        #expect(try firings() == [600, 3_100, 3_600])
        let third = try server(document, after: 3_600)
        advance(third, 599)
        #expect(try firings() == [600, 3_100, 3_600])
        advance(third, 1)
        #expect(try firings() == [600, 3_100, 3_600, 4_200])
    }

    @Test func `a schedule that skips does not make up for what was missed`() throws {
        let document = Self.document(#""every": 600, "exact": true, "missed": "skip""#)
        let first = try server(document)
        try touch(first)
        advance(first, 700)
        let second = try server(document, after: 3_100)
        advance(second, 499)
        #expect(try firings() == [600])
        #expect(try journal.alarms(upTo: Timestamp(seconds: Self.start + 3_599), limit: 9).isEmpty)
        advance(second, 1)
        #expect(try firings() == [600, 3_600])
    }

    @Test func `a missed time counts although the next document comes`() throws {
        let first = try server(Self.document(#""every": 600, "exact": true"#))
        try touch(first)
        let second = try server(Self.document(#""every": 300, "exact": true"#), after: 700)
        advance(second, 0)
        #expect(try firings() == [700])
        advance(second, 500)
        #expect(try firings() == [700, 900, 1_200])
    }

    @Test func `a cron schedule fires by the clock of its zone`() throws {
        let server = try server(Self.document(#""cron": "0 9 * * mon-fri", "zone": "America/New_York""#))
        try touch(server)
        advance(server, 4 * 86_400)
        // 1 January 2026 was a Thursday.
        #expect(try firings() == [14 * 3_600, 86_400 + 14 * 3_600])
    }

    @Test func `a refused firing is a commit, and the schedule goes on`() throws {
        let document = Self.document(#""every": 60, "exact": true"#)
            .replacing("\"act\": \"tick\", \"input\": \"{'at': string(now)}\"", with: "\"act\": \"never\"")
        let server = try server(document)
        try touch(server)
        advance(server, 120)
        #expect(try commits().map(\.action) == ["clock/touch", "schedules/refused", "schedules/refused"])
        #expect(
            try JSON(parsing: commits()[1].input ?? []) == [
                "schedule": "clock.beat", "key": "", "problem": ["status": 409, "detail": "never"],
            ])
    }

    @Test func `a row schedule waits for the first commit of its space`() throws {
        let document = #"""
            {"feature": "clock", "home": "space",
             "state": {"end": {"value": {"type": "string"}, "initial": "2026-01-01T00:01:00Z"},
               "isOpen": {"value": {"type": "boolean"}, "initial": true},
               "seen": {"value": {"type": "string"}, "initial": ""}},
             "actions": {"tick": {"do": [{"set": "isOpen", "to": "false"}]},
               "touch": {"input": {"type": "object", "properties": {"seen": {"type": "string"}}},
                 "do": [{"set": "seen", "to": "input.seen"}]}},
             "views": {"isOpen": {"expression": "state.isOpen"}},
             "schedules": {"end": {"for": "end", "at": "row", "act": "tick"}}}
            """#
        let server = try server(document)
        #expect(try server.view("clock.isOpen") == true)
        advance(server, 100)
        #expect(try server.view("clock.isOpen") == true)
        #expect(try commits().isEmpty)
        try touch(server)
        advance(server, 0)
        #expect(try commits().map(\.action) == ["clock/touch", "clock/tick"])
    }

    @Test func `sleeping spaces are woken in order, at most 1,000 a second`() throws {
        let document = Self.document(#""every": 600, "exact": true"#)
        let spaces = (0..<2_300).map { "s\($0)" }
        let first = try server(document)
        for space in spaces { try touch(first, in: space) }
        let second = try server(document, after: 300)
        advance(second, 301)
        #expect(second.server.stores.alarmsLateSeconds == 1)
        advance(second, 1)
        #expect(second.server.stores.alarmsLateSeconds == 0)
        var counts: [Int: Int] = [:]
        for space in spaces { for time in try firings(space) { counts[time, default: 0] += 1 } }
        #expect(counts == [600: 1_000, 601: 1_000, 602: 300])
    }

    @Test(arguments: [
        (#""every": 59"#, "/schedules/beat/every: every must be a whole number from 60 to 31536000"),
        (#""every": "60""#, "/schedules/beat/every: every must be a whole number from 60 to 31536000"),
        (#""every": 60, "exact": 1"#, "/schedules/beat/exact: exact must be true or false, not a number"),
        (#""every": 60, "missed": "all""#, "/schedules/beat/missed: missed is once or skip"),
        (#""every": 60, "zone": "UTC""#, #"/schedules/beat/zone: there is no member "zone""#),
        (#""cron": "0 0 30 2 *""#, "/schedules/beat/cron: no day is as the cron expression says"),
        (
            #""cron": "0 24 * * *""#,
            #"/schedules/beat/cron: the hour of a cron expression: "24" is no *, number or range from 0 to 23"#
        ),
        (
            #""cron": "0 0 * * *", "zone": "Europe/Berlim""#,
            #"/schedules/beat/zone: there is no time zone "Europe/Berlim""#
        ),
        (#""cron": "0 0 * * *", "zone": "../../../etc/passwd""#, "/schedules/beat/zone: there is no time zone"),
        (#""every": 60, "cron": "0 0 * * *""#, "/schedules/beat: the schedule beat has one of every and cron only"),
    ])
    func `a faulty recurring schedule is refused`(_ schedule: String, _ fault: String) throws {
        let found = faults(try parse(Self.document(schedule)))
        #expect(found.count == 1 && found[0].hasPrefix(fault), "\(found)")
    }

    @Test func `a schedule that recurs has no row`() throws {
        let found = faults(try parse(Self.document(#""every": 60"#).replacing("string(now)", with: "key")))
        #expect(found.count == 1 && found[0].hasPrefix("/schedules/beat/input: unknown name 'key'"), "\(found)")
    }

    /// Restarts, commits and waits at random, beside a model that counts the times of a grid.
    @Test(arguments: ["once", "skip"])
    func `the firings equal a model through restarts`(_ missed: String) throws {
        var random = Randomness(seed: missed == "once" ? 6 : 7)
        for _ in 0..<12 {
            let period = 60 + Int(random.next() % 200)
            let document = Self.document(#""every": \#(period), "exact": true, "missed": "\#(missed)""#)
            let journal = MemoryJournal()
            var now = 0
            var model: [Int] = []
            /// The time up to which the model has fired; nil without commits.
            var settled: Int?
            for _ in 0..<8 {
                let executor = SimulatedExecutor(from: TrialServer.start)
                executor.advance(.seconds(now))
                let server = try DocumentServer([parse(document)], journal, executor)
                advance(server, 0)
                let missedTimes = settled.map { Self.times(period, after: $0, upTo: now) } ?? []
                if !missedTimes.isEmpty {
                    settled = now
                    // A time at the very start is not missed.
                    if missed == "once" || missedTimes.last == now { model.append(now) }
                }
                for _ in 0..<Int(random.next() % 5) {
                    let step = Int(random.next() % 300)
                    advance(server, step)
                    if let last = settled {
                        model += Self.times(period, after: max(last, now), upTo: now + step)
                        settled = now + step
                    }
                    now += step
                    if random.next() % 3 == 0 {
                        try server.act("clock/touch", ["seen": .string("\(random.next())")])
                        settled = now
                    }
                }
                now += Int(random.next() % 700)
            }
            guard case .commits(let records) = try journal.read(name("test"), after: 0, limit: 10_000) else {
                continue
            }
            let found = records.filter { $0.action == "clock/tick" }.map { Int($0.at.seconds - Self.start) }
            #expect(found == model, "every \(period)")
        }
    }

    /// The multiples of a period, counted from 1970.
    private static func times(_ period: Int, after first: Int, upTo last: Int) -> [Int] {
        first < last ? (first + 1...last).filter { (Int(start) + $0) % period == 0 } : []
    }
}
