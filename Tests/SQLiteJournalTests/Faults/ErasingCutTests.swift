import DiskFaults
import Foundation
@testable import SQLiteJournal
import StateStore
import Testing

/// Power losses within an erasure leave the whole row, or nothing of it. `HEADWATER_POWER_CUTS` is the number of cuts.
@Suite struct ErasingCutTests {
    private static let mark = "ERASED-ROW"
    let scratch: Scratch
    let disk: FaultyDisk
    private var cuts: Int { ProcessInfo.processInfo.environment["HEADWATER_POWER_CUTS"].flatMap { Int($0) } ?? 24 }

    init() throws {
        scratch = try Scratch()
        disk = try FaultyDisk(in: scratch.path)
    }

    // Law PRIV6
    @Test(arguments: [Durability.commit, .none])
    func `a power loss within an erasure leaves the whole row or nothing`(_ durability: Durability) throws {
        let before = try DiskImage(seed: 9, holding: disk.root)
        let child = try Child("endure", disk.directory, durability.rawValue, "200", on: disk)
        #expect(child.line() == "open 0")
        for order in ["append", "plant", "append", "plant", "settle", "erase", "append"] { _ = try child.ask(order) }
        #expect(try child.end() == 0)
        let events = try DiskEvent.read(disk.trace, root: disk.root)
        var random = SplitMix64(seed: 21)
        // Most of the calls follow the erasure.
        let places = Set((0..<cuts).map { _ in Int.random(in: events.count / 3...events.count, using: &random) })
        var image = before
        for (index, event) in events.enumerated() {
            image.take(event)
            guard places.contains(index + 1) else { continue }
            var cut = image
            let rest = DiskImage.Rest.allCases[index % DiskImage.Rest.allCases.count]
            cut.cut(rest)
            let folder = scratch.directory("image")
            try cut.write(to: folder)
            try look(at: folder + "/data", "cut after \(index + 1) of \(events.count) calls, \(rest)")
            try FileManager.default.removeItem(atPath: folder)
        }
    }

    private func look(at directory: String, _ place: String) throws {
        guard FileManager.default.fileExists(atPath: directory + "/journal.sqlite") else { return }
        let journal = try SQLiteJournal(directory: directory)
        let version = try journal.load(.main)?.version ?? 0
        func has(_ facts: some Sequence<Fact>) -> Bool {
            facts.contains { String(decoding: $0.value ?? [], as: UTF8.self).contains(Self.mark) }
        }
        guard case .commits(let commits) = try journal.read(.main, after: 0, limit: 100) else { return }
        let isErased = commits.contains { $0.action == "space/erase" }
        for commit in commits where commit.action == "counter/plant" {
            #expect(has(commit.facts) != isErased, "\(place): version \(commit.version)")
            #expect((commit.input == Array("null".utf8)) == isErased, "\(place)")
        }
        for past in 0...version {
            guard case .state(let state, _) = try journal.load(.main, at: past) else { continue }
            let isThere = past >= 2 && !isErased
            #expect(has(state.facts) == isThere, "\(place): the state at version \(past)")
        }
        try journal.settle()
        if isErased { #expect(try ErasingTests.files(with: Self.mark, in: directory).isEmpty, "\(place)") }
        journal.close()
        #expect(try SQLiteJournal.check(directory).problems == [], "\(place)")
    }
}
