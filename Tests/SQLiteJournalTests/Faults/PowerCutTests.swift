import DiskFaults
import Foundation
@testable import SQLiteJournal
import StateStore
import Testing

/// Power losses at many points of many kinds of work. `HEADWATER_POWER_CUTS` is the number of cuts for each kind.
@Suite struct PowerCutTests {
    let scratch: Scratch
    let disk: FaultyDisk
    /// The number of cuts set by `Scripts/crash`, which checks every image of each cut. The normal tests check one
    /// image.
    private let demand = ProcessInfo.processInfo.environment["HEADWATER_POWER_CUTS"].flatMap { Int($0) }
    private var cuts: Int { demand ?? 8 }

    init() throws {
        scratch = try Scratch()
        disk = try FaultyDisk(in: scratch.path)
    }

    /// Simulates power losses at many points of a child's trace, and checks each image. `before` is the initial content
    /// of the disk.
    private func lookAtCuts(from before: DiskImage, _ durability: Durability) throws {
        let events = try DiskEvent.read(disk.trace, root: disk.root)
        try #require(events.count > 10)
        var random = SplitMix64(seed: 13)
        let places = Set((0..<cuts).map { _ in Int.random(in: 1...events.count, using: &random) }).union([events.count])
        var image = before
        for (index, event) in events.enumerated() {
            image.take(event)
            guard places.contains(index + 1) else { continue }
            let all = DiskImage.Rest.allCases
            for rest in demand == nil ? [all[index % all.count]] : all {
                var cut = image
                cut.cut(rest)
                let folder = scratch.directory("image")
                try cut.write(to: folder)
                try look(
                    at: folder + "/data", image.lines, durability,
                    "cut after \(index + 1) of \(events.count) calls, \(rest)")
                try FileManager.default.removeItem(atPath: folder)
            }
        }
    }

    private func look(at directory: String, _ lines: [String], _ durability: Durability, _ place: String) throws {
        let told = lines.last { $0.hasPrefix("kept ") }.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
        guard FileManager.default.fileExists(atPath: directory + "/journal.sqlite") else {
            #expect(durability == .commit ? told == 0 : true, "\(place): nothing is there")
            return
        }
        do {
            let journal = try SQLiteJournal(directory: directory, durability: durability)
            let kept = try journal.load(.main)
            let version = kept?.version ?? 0
            if durability == .commit { #expect(version >= told, "\(place): \(told) were told, \(version) are there") }
            let values = kept?.facts.filter { ["counter.one", "counter.two"].contains($0.variable) }.map(\.value) ?? []
            #expect(kept == nil || values == Array(repeating: Array("\(version)".utf8), count: 2), "\(place)")
            if case .commits(let commits) = try journal.read(.main, after: max(0, version - 100), limit: .max) {
                #expect(commits.map(\.version) == Array(max(0, version - 100) + 1..<version + 1), "\(place)")
            }
            journal.close()
            #expect(try SQLiteJournal.check(directory).problems == [], "\(place)")
        } catch {
            Issue.record("\(place): \(error)")
        }
    }

    @Test(arguments: Durability.allCases)
    func `a power loss during load, snapshots, trimming and checkpoints loses no durable commit`(
        _ durability: Durability
    ) throws {
        let before = try DiskImage(seed: 3, holding: disk.root)
        let child = try Child("endure", disk.directory, durability.rawValue, "200", on: disk)
        #expect(child.line() == "open 0")
        for _ in 0..<3 {
            for order in ["append", "append", "fill", "append", "settle", "append"] { _ = try child.ask(order) }
        }
        // The last commit copies the log.
        #expect(try child.end() == 0)
        try lookAtCuts(from: before, durability)
    }

    @Test func `a power loss during an upgrade from the first schema loses nothing`() throws {
        try FileManager.default.createDirectory(atPath: disk.directory, withIntermediateDirectories: false)
        do {
            let connection = try DatabaseConnection(disk.directory + "/journal.sqlite", .writing)
            try connection.writeAhead()
            try Schema.migrate(connection, steps: Array(Schema.steps.prefix(1)))
            try connection.execute(
                """
                INSERT INTO spaces (id, name) VALUES (1, 'main');
                WITH RECURSIVE version(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM version WHERE n < 500)
                INSERT INTO commits (space, version, at, action, changed) SELECT 1, n, n, 'counter/add',
                    '{"counter.one":' || n || ',"counter.two":' || n || '}' FROM version;
                """)
        }
        let before = try DiskImage(seed: 4, holding: disk.root)
        let child = try Child("endure", disk.directory, "commit", on: disk)
        #expect(child.line() == "open 500")
        for _ in 0..<3 { #expect(try child.ask("append")?.hasPrefix("kept 50") == true) }
        _ = child.kill()
        try lookAtCuts(from: before, .commit)
    }

    @Test func `a power loss during an import leaves all of it or none`() throws {
        let source = try SQLiteJournal(directory: scratch.directory("source"))
        _ = try source.append(
            (1...300).map { version in
                CommitRecord(
                    space: .main, version: version, at: Timestamp(microseconds: Int64(version)), action: "counter/add",
                    input: nil,
                    facts: ["counter.one", "counter.two"].map { Fact(variable: $0, value: Array("\(version)".utf8)) })
            })
        source.close()
        var lines: [[UInt8]] = []
        try SQLiteJournal.export(scratch.directory("source")) { line throws(JournalFailure) in lines.append(line) }
        let before = try DiskImage(seed: 5, holding: disk.root)
        let child = try Child("import", disk.directory, on: disk)
        #expect(try child.feed(lines) == ["kept 300"])
        try lookAtCuts(from: before, .commit)
    }
}
