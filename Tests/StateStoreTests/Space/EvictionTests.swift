import StateStore
import Testing

struct EvictionTests {
    /// A number of spaces.
    private func spaces(_ count: Int) -> [SpaceName] { (0..<count).compactMap { SpaceName("s\($0)") } }

    // Law P3
    @Test func `the least recently used space is unloaded, and reloads with the same state`() throws {
        let stand = try Stand()
        stand.store.idleLimit = 3
        for space in spaces(10) { try stand.post("ledger/add", space.description, 1, in: space) }
        #expect(stand.store.loadedCount <= 3)
        for space in spaces(10) { #expect(try stand.read("ledger.amounts", in: space) == "amounts=[\"\(space)=1\"]") }
        #expect(stand.store.loadedCount <= 3)
        #expect(
            try stand.post("ledger/add", "s0", 1, in: spaces(1)[0], views: ["ledger.sum"])
                == "2 ledger.sum,ledger.amounts sum=2")
    }

    // Law P3
    @Test func `a frequently used space does not evict the others`() throws {
        let stand = try Stand()
        stand.store.idleLimit = 3
        let quiet = spaces(2)
        for space in quiet { try stand.post("ledger/add", "a", 1, in: space) }
        for _ in 0..<20 { try stand.post("ledger/add", "a", 1) }
        #expect(stand.store.loadedCount == 3)
    }

    // Law P4
    @Test func `a watched space is never unloaded`() throws {
        let stand = try Stand()
        stand.store.idleLimit = 0
        let told = stand.watch("ledger.sum")
        let common = stand.watch("rates.rate", in: .other)
        try stand.settle(.main, .other)
        for space in spaces(5) { try stand.settle(space) }
        #expect(stand.store.loadedCount == 2)
        try stand.post("ledger/add", "a", 1)
        #expect(told.events == ["sum=0", "sum=1"])
        told.watch = nil
        common.watch = nil
        #expect(stand.store.loadedCount == 0)
    }

    // Law P4
    @Test func `a space with outstanding work is never unloaded`() throws {
        let stand = try Stand()
        stand.store.idleLimit = 0
        stand.journal.hold()
        let replies = [stand.send("ledger/add", "a", 1), stand.send("ledger/add", "a", 1, key: "k")]
        let look = stand.ask(["ledger.sum"])
        try stand.waitForAppend(1)
        stand.executor.runPosted()
        for space in spaces(3) { try stand.settle(space) }
        #expect(stand.store.loadedCount == 1)
        stand.journal.release()
        #expect(
            try replies.map { try stand.wait(for: $0) } == [
                "1 ledger.sum,ledger.amounts", "2 ledger.sum,ledger.amounts",
            ])
        try stand.executor.run { look.result != nil }
        #expect(stand.store.loadedCount == 0)
    }

    // Law P5
    @Test(arguments: ["read", "refuse", "change nothing", "look away", "fail", "unknown action"])
    func `reads of unknown spaces neither create nor accumulate spaces`(_ way: String) throws {
        let stand = try Stand()
        stand.store.idleLimit = 2
        for space in spaces(20) {
            switch way {
            case "read": _ = try stand.read("ledger.sum", in: space)
            case "refuse": try stand.post("ledger/remove", "a", in: space)
            case "change nothing": try stand.post("ledger/clear", in: space)
            case "look away":
                let told = stand.watch("ledger.sum", in: space)
                try stand.executor.run { !told.events.isEmpty }
            case "fail":
                stand.journal.failLoads(1)
                #expect(try stand.read("ledger.sum", in: space) == "cannot read")
            default: #expect(try stand.post("ledger/nothing", in: space) == "noSuchAction")
            }
        }
        stand.executor.runPosted()
        #expect(stand.store.loadedCount == 0)
        #expect(try stand.journal.spaces(after: nil, limit: 100).isEmpty)
    }

    // Law P1
    @Test func `a space exists from its first successful action on`() throws {
        let stand = try Stand()
        #expect(try stand.read("ledger.sum", "ledger.amounts") == "sum=0 amounts=[]")
        try stand.post("ledger/remove", "a")
        #expect(try stand.journal.spaces(after: nil, limit: 9).isEmpty)
        try stand.post("ledger/add", "a", 1)
        #expect(try stand.journal.spaces(after: nil, limit: 9).map(\.name) == [.main])
    }

    // Law P5
    @Test func `a store without references is released`() throws {
        weak var store: Store?
        do {
            let stand = try Stand()
            store = stand.store
            try stand.post("ledger/add", "a", 1)
            let told = stand.watch("ledger.sum")
            try stand.settle(.main)
            #expect(told.events == ["sum=1"])
        }
        #expect(store == nil)
    }

    // Law P3
    @Test func `loaded spaces respect the memory limit, and the least recently used go first`() throws {
        let stand = try Stand()
        let all = spaces(40)
        try stand.post("ledger/add", String(repeating: "n", count: 20), 1, in: all[0])
        let one = stand.store.memory
        stand.store.memoryLimit = one * 10
        for space in all { try stand.post("ledger/add", "a", 1, in: space) }
        #expect(
            stand.store.memory <= stand.store.memoryLimit && stand.store.loadedCount <= 10
                && stand.store.loadedCount > 1)
        #expect(stand.store.stamp(of: all[39]) != nil && stand.store.stamp(of: all[1]) == nil)
        #expect(try stand.read("ledger.sum", in: all[1]) == "sum=1")
        stand.store.memoryLimit = 1
        let told = stand.watch("ledger.sum", in: all[5])
        try stand.settle(all[5], all[6])
        #expect(stand.store.loadedCount <= 2 && stand.store.stamp(of: all[5]) != nil)
        withExtendedLifetime(told) {}
    }
}
