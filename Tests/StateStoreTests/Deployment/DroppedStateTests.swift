import JSON
import StateStore
import Testing

/// Law DEPLOY5: dropped state is removed from all spaces, also from those that sleep, and from no other.
struct DroppedStateTests {
    private static let names = (0..<5).compactMap { SpaceName("s\($0)") }

    /// Spaces with state of two features.
    private func stand() throws -> DeploymentStand {
        let stand = try DeploymentStand()
        stand.stores[0].idleLimit = 2
        stand.deploy(["counter": [:], "other": [:]])
        for name in Self.names {
            stand.act("counter/add", ["by": 3], in: name)
            stand.act("counter/note", ["key": "k"], in: name)
            stand.act("other/add", ["by": 4], in: name)
        }
        return stand
    }

    /// The variables that have values in a space, in the journal.
    private func kept(_ name: SpaceName, _ journal: MemoryJournal) throws -> Set<String> {
        let facts = try journal.load(name)?.facts ?? []
        return Set(facts.filter { $0.value.map { $0 != Array("null".utf8) } ?? false }.map(\.variable))
    }

    @Test func `spaces lose dropped state within seconds, in a commit each, and keep the rest`() throws {
        let stand = try stand()
        stand.deploy(["counter": nil], dropsState: true)
        stand.advance(by: .seconds(5))
        for name in Self.names {
            #expect(try kept(name, stand.journal) == ["other.total"])
            guard case .commits(let commits) = try stand.journal.read(name, after: 3, limit: 9) else { return }
            #expect(commits.map(\.action) == ["features/dropped"])
        }
        #expect(stand.read("other.total", in: Self.names[0]) == "total=4")
    }

    @Test func `a feature that is put again keeps its own state`() throws {
        let stand = try stand()
        stand.deploy(["counter": nil], dropsState: true)
        stand.deploy(["counter": [:]])
        stand.act("counter/add", ["by": 9], in: Self.names[1])
        stand.advance(by: .seconds(5))
        #expect(stand.read("counter.total", in: Self.names[1]) == "total=9")
        #expect(stand.read("counter.total", in: Self.names[2]) == "total=0")
        #expect(try kept(Self.names[1], stand.journal) == ["other.total", "counter.total~2"])
        #expect(try kept(Self.names[2], stand.journal) == ["other.total"])
    }

    @Test func `a removed feature whose state was not dropped keeps it`() throws {
        let stand = try stand()
        stand.deploy(["counter": nil])
        stand.advance(by: .seconds(5))
        #expect(try kept(Self.names[3], stand.journal) == ["counter.total", "counter.notes", "other.total"])
    }
}
