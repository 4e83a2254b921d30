import JSON
import StateStore
import Testing

/// State that documents migrate.
struct MigrationTests {
    private static func migrating(upTo limit: Int, _ label: String = "") -> JSON {
        [
            "kind": "string", "label": .string(label),
            "state": ["total": ["migrate": .number(Decimal(limit))]],
        ]
    }

    private static let names = (0..<6).compactMap { SpaceName("s\($0)") }

    /// Spaces with the totals 0 to 5, of which the first is watched and the store keeps two loaded.
    private func stand() throws -> (DeploymentStand, Told) {
        let stand = try DeploymentStand()
        stand.deploy(["counter": [:]])
        for (index, name) in Self.names.enumerated() {
            stand.act("counter/add", ["by": .number(Decimal(index))], in: name)
            stand.act("counter/note", ["key": "k"], in: name)
        }
        stand.stores[0].idleLimit = 2
        return (stand, stand.watch("counter.total", in: Self.names[1]))
    }

    // Law DEPLOY4
    @Test func `each space migrates its state once, loaded or asleep, in a commit of its own`() throws {
        let (stand, watch) = try stand()
        stand.deploy(["counter": Self.migrating(upTo: 9)], migrated: ["counter": ["total"]])
        #expect(watch.events == ["total=1", "total=\"was 1\""])
        for (index, name) in Self.names.enumerated().dropFirst() {
            #expect(stand.read("counter.total", in: name) == "total=\"was \(index)\"")
        }
        // The total 0 is the initial value, and the journal has no fact of it.
        #expect(stand.read("counter.total", in: Self.names[0]) == "total=\"\"")
        let again = try DeploymentStand(stand.journal)
        for (index, name) in Self.names.enumerated().dropFirst() {
            #expect(again.read("counter.total", in: name) == "total=\"was \(index)\"")
            guard case .commits(let commits) = try stand.journal.read(name, after: 0, limit: 9) else { return }
            #expect(commits.map(\.action) == ["counter/add", "counter/note", "features/migrated"])
            #expect(commits.last?.changed == ["counter.total"])
        }
    }

    // Law DEPLOY4
    @Test func `a space that begins after a migration is not migrated`() throws {
        let (stand, _) = try stand()
        stand.deploy(["counter": Self.migrating(upTo: 9)], migrated: ["counter": ["total"]])
        let new = try #require(SpaceName("new"))
        #expect(stand.act("counter/add", ["by": 1], in: new) == "1 counter.total")
        let again = try DeploymentStand(stand.journal)
        #expect(again.read("counter.total", in: new) == "total=\"added\"")
    }

    // Law DEPLOY4
    @Test func `state that cannot be migrated stays, fails alone, and is repaired by a later document`() throws {
        let (stand, watch) = try stand()
        stand.deploy(["counter": Self.migrating(upTo: 0)], migrated: ["counter": ["total"]])
        let failure = "the total is too large"
        #expect(watch.events.last == "total=failed: total: \(failure)")
        #expect(stand.act("counter/add", ["by": 1], in: Self.names[3]) == "unmigrated(\"total: \(failure)\")")
        #expect(stand.act("board/change", ["put": []], in: Self.names[3]) == "2")
        #expect(stand.stores[0].library?.problems(of: "counter").map(\.space).contains(Self.names[3]) == true)
        #expect(try stand.journal.load(Self.names[3])?.facts.first?.value == Array("3".utf8))
        stand.deploy(["counter": Self.migrating(upTo: 9, "2")], migrated: ["counter": ["total"]])
        #expect(watch.events.last == "total=\"was 1\"")
        #expect(stand.read("counter.total", in: Self.names[3]) == "total=\"was 3\"")
        #expect(stand.stores[0].library?.problems(of: "counter").map(\.space) == [])
    }

    // Law DEPLOY4
    @Test func `a migration that the journal refuses is made once the journal can be written`() throws {
        let memory = MemoryJournal()
        let faulty = FaultyJournal(memory)
        let stand = try DeploymentStand(memory, through: faulty)
        stand.deploy(["counter": [:]])
        let name = Self.names[1]
        stand.act("counter/add", ["by": 1], in: name)
        let watch = stand.watch("counter.total", in: name)
        // The first append is that of the document.
        faulty.failSecondAppend()
        stand.deploy(["counter": Self.migrating(upTo: 9)], migrated: ["counter": ["total"]])
        #expect(stand.act("counter/add", ["by": 1], in: name).hasPrefix("unmigrated"))
        #expect(watch.events == ["total=1", "total=failed: the journal cannot be written"])
        stand.advance(by: .seconds(10))
        #expect(stand.read("counter.total", in: name) == "total=\"was 1\"")
        #expect(watch.events.last == "total=\"was 1\"")
        guard case .commits(let commits) = try memory.read(name, after: 0, limit: 9) else { return }
        #expect(commits.map(\.action) == ["counter/add", "features/migrated"])
    }

    @Test func `defaults are there at once, and need no commit`() throws {
        let (stand, watch) = try stand()
        stand.act("counter/note", ["key": "l"], in: Self.names[1])
        stand.deploy(["counter": ["defaultNote": 7]])
        #expect(watch.events == ["total=1"])
        for name in Self.names {
            #expect(stand.read("counter.k", in: name) == "k=7")
            guard case .commits(let commits) = try stand.journal.read(name, after: 0, limit: 9) else { return }
            #expect(commits.count <= 3)
        }
    }
}
