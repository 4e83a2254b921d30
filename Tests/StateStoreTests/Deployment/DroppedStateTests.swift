import JSON
import StateStore
import Testing

/// Law DEPLOY5: dropped state is removed from all spaces, also from those that sleep, and from no other.
struct DroppedStateTests {
    private static let names = (0..<5).compactMap { SpaceName("s\($0)") }

    /// Spaces with state of two features.
    private func stand(
        _ journal: MemoryJournal = MemoryJournal(), through faulty: FaultyJournal? = nil
    ) throws
        -> DeploymentStand
    {
        let stand = try DeploymentStand(journal, through: faulty)
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

    /// The commits of `common` that note the end of a search.
    private func endCount(_ journal: MemoryJournal) throws -> Int {
        guard case .commits(let commits) = try journal.read(.common, after: 0, limit: 99) else { return 0 }
        return commits.count { $0.action == "features/swept" }
    }

    @Test func `a space that cannot be read once is searched again before the end is noted`() throws {
        let journal = MemoryJournal()
        let faulty = FaultyJournal(journal)
        let stand = try stand(journal, through: faulty)
        let unread = Self.names[2]
        faulty.failLoad(of: unread)
        stand.deploy(["counter": nil], dropsState: true)
        stand.advance(by: .seconds(5))
        #expect(try kept(unread, journal) == ["other.total", "counter.total", "counter.notes"])
        #expect(try endCount(journal) == 0)
        for _ in 0..<20 { stand.advance(by: .seconds(1)) }
        #expect(try kept(unread, journal) == ["other.total"])
        #expect(try endCount(journal) == 1)
    }

    @Test func `a search of spaces that stay unreadable goes on, with delays that grow`() throws {
        let journal = MemoryJournal()
        let faulty = FaultyJournal(journal)
        let stand = try stand(journal, through: faulty)
        stand.deploy(["counter": nil], dropsState: true)
        faulty.failLoads()
        let before = faulty.loaded.count { !$0.isEmpty }
        for _ in 0..<24 { stand.advance(by: .seconds(3_600)) }
        // A walk after each delay: 10 s, 20 s, … 3,600 s.
        let walks = faulty.loaded.count { !$0.isEmpty } - before
        #expect((24..<40).contains(walks), "\(walks)")
        #expect(try endCount(journal) == 0)
        faulty.failLoads(0)
        for _ in 0..<65 { stand.advance(by: .seconds(60)) }
        #expect(try endCount(journal) == 1)
        #expect(try kept(Self.names[0], journal) == ["other.total"])
    }

    @Test func `old rows that are not yet removed are no rows of a table of the same name`() throws {
        let journal = MemoryJournal()
        let faulty = FaultyJournal(journal)
        let stand = try stand(journal, through: faulty)
        let old = Self.names[2]
        faulty.failLoad(of: old)
        stand.deploy(["counter": nil], dropsState: true)
        stand.advance(by: .seconds(5))
        stand.deploy(["counter": [:]])
        #expect(try kept(old, journal) == ["other.total", "counter.total", "counter.notes"])
        #expect(stand.read("counter.notes", in: old) == "notes=[]")
        #expect(stand.read("counter.total", in: old) == "total=0")
        stand.act("counter/note", ["key": "new"], in: old)
        #expect(stand.read("counter.notes", in: old) == #"notes=["new"]"#)
        for _ in 0..<20 { stand.advance(by: .seconds(1)) }
        #expect(try kept(old, journal) == ["other.total", "counter.notes~2"])
        #expect(try endCount(journal) == 1)
    }
}
