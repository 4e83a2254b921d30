import JSON
import Reactive
import ServerReads
import Testing

@testable import StateStore

/// Views with parameters: their names, and the life of their instances.
struct ParameterViewTests {
    // Law PARAM1
    @Test(arguments: [
        ("board.card?id=a", "board.card?id=a"),
        ("board.card?id=a%26b", "board.card?id=a%26b"),
        ("board.card?id=%61", "board.card?id=a"),
        ("board.card?id=a+b%c3%BC", "board.card?id=a%20b%C3%BC"),
        ("board.card?id=~a-b._c", "board.card?id=~a-b._c"),
        ("board.card?id=", "board.card?id="),
        ("board.card?id", "board.card?id="),
        ("board.card?&id=a&", "board.card?id=a"),
        ("board.card?id=a=b", "board.card?id=a%3Db"),
        ("board.filtered", "board.filtered"),
        ("board.filtered?", "board.filtered"),
        ("board.filtered?votes=0&prefix=&factor=1.0&isRising=true", "board.filtered"),
        ("board.filtered?suffix=x&votes=2", "board.filtered?votes=2&suffix=x"),
        ("board.filtered?isRising=false&factor=15e-1", "board.filtered?factor=1.5&isRising=false"),
        ("board.filtered?factor=-3", "board.filtered?factor=-3"),
        ("board.filtered?suffix=", "board.filtered?suffix="),
        ("board.top?total=0&limit=5", "board.top?limit=5"),
        ("board.top?total=1", "board.top?total=1"), ("board.top?limit=100&total=1", "board.top?total=1"),
        ("board.top?after=", "board.top?limit=100"),
        ("board.filtered?limit=007&votes=1", "board.filtered?votes=1&limit=7"),
        ("board.nothing?a=b", "board.nothing?a=b"),
        ("nothing", "nothing"),
    ])
    func `an instance has one canonical name`(_ written: String, _ name: String) throws {
        let stand = try BoardStand()
        #expect(try stand.name(written) == name)
        #expect(try stand.name(name) == name)
    }

    // Law PARAM2
    @Test(arguments: [
        ("board.card", "/id", "board.card needs the parameter id", []),
        ("board.card?ID=a", "/ID", "board.card has no parameter ID", ["id"]),
        ("board.card?id=a&id=a", "/id", "the parameter id is there twice: send it once", []),
        ("board.card?id=a&limit=1", "/limit", "board.card has no parameter limit", ["id"]),
        ("board.card?id=%F", "/id", "the parameters of board.card do not hold UTF-8", []),
        ("board.card?id=%FF", "/id", "the parameters of board.card do not hold UTF-8", []),
        ("board.filtered?votes=x", "/votes", "the parameter votes is an integer", []),
        ("board.filtered?votes=1.5", "/votes", "the parameter votes is an integer", []),
        ("board.filtered?votes=%201", "/votes", "the parameter votes is an integer", []),
        ("board.filtered?votes=01", "/votes", "the parameter votes is an integer", []),
        ("board.filtered?votes=99999999999999999999", "/votes", "the parameter votes is an integer", []),
        ("board.filtered?votes=1001", "/votes", "the value must be from 0 to 1000", []),
        ("board.filtered?factor=1e999", "/factor", "the parameter factor is a number", []),
        ("board.filtered?isRising=1", "/isRising", "the parameter isRising is a boolean", ["false", "true"]),
        ("board.top?limit=0", "/limit", "limit is a number from 1 to 1000", []),
        ("board.top?limit=1001", "/limit", "limit is a number from 1 to 1000", []),
        ("board.top?limit=-1", "/limit", "limit is a number from 1 to 1000", []),
        ("board.top?limit=٣", "/limit", "limit is a number from 1 to 1000", []),
        ("board.top?total=yes", "/total", "total is 1, or left out", ["0", "1"]),
        ("board.top?after=abc", "/after", "after is not a next that this view has answered", []),
    ])
    func `a faulty parameter is refused with a pointer`(
        _ written: String, _ pointer: String, _ words: String, _ allowed: [String]
    ) throws {
        let stand = try BoardStand()
        let fault = #expect(throws: ParameterFault.self) { try stand.name(written) }
        #expect(fault.map { "\($0.pointer)" } == pointer && fault?.description == words && fault?.allowed == allowed)
    }

    // Law PARAM2
    @Test func `a store accepts canonical view names only`() throws {
        let stand = try BoardStand()
        for name in ["board.card", "board.card?", "board.card?id=%61", "board.filtered?votes=0", "board.top?limit=0"] {
            var refused = false
            stand.store.read([name], in: .main) { if case .failure(.noSuchView) = $0 { refused = true } }
            #expect(refused, "\(name)")
        }
    }

    // Law PARAM3
    @Test func `a thousand subscribers of one instance cost one computation per commit`() throws {
        let stand = try BoardStand()
        // Registration examines an instance of each view.
        for name in ["instance", "card"] { _ = stand.tally.taken(name) }
        let watchers = try (0..<1_000).map { _ in try stand.watch("board.card?id=a") }
        #expect(stand.tally.taken("instance") == 1 && stand.tally.taken("card") == 1)
        try stand.put(["a": 1, "b": 1])
        #expect(stand.tally.taken("card") == 1 && stand.tally.taken("instance") == 0)
        #expect(watchers.allSatisfy { $0.events == ["card?id=a=null", "card?id=a=1"] })
    }

    // Law PARAM3
    @Test func `a commit to one row computes one of a thousand instances`() throws {
        let stand = try BoardStand()
        let watchers = try (0..<1_000).map { try stand.watch("board.card?id=\($0)") }
        _ = stand.tally.taken("card")
        try stand.put(["7": 1])
        #expect(stand.tally.taken("card") == 1)
        #expect(watchers.filter { $0.events.count == 2 }.count == 1 && watchers[7].events.last == "card?id=7=1")
    }

    // Law PARAM3
    @Test func `an instance without readers and subscribers leaves nothing behind`() throws {
        let stand = try BoardStand()
        try stand.put(["a": 1])
        let memory = stand.store.memory
        weak var watch: Watch?
        do {
            let told = try stand.watch("board.card?id=a", "board.filtered?votes=1")
            watch = told.watch
            #expect(stand.store.instanceCount(in: .main) == 2 && stand.store.memory > memory)
            try stand.put(["a": 2])
            #expect(told.events.count == 2)
        }
        #expect(watch == nil && stand.store.instanceCount(in: .main) == 0 && stand.store.memory == memory)
        _ = stand.tally.taken("card")
        #expect(try stand.read("board.card?id=a") == 2)
        try stand.put(["a": 3])
        #expect(stand.store.instanceCount(in: .main) == 0 && stand.tally.taken("card") == 1)
    }

    // Law PARAM4
    @Test func `memory alone limits the watched instances, reads are not limited`() throws {
        let stand = try BoardStand()
        var watchers: [Told] = []
        for index in 0..<5_000 { watchers.append(try stand.watch("board.card?id=\(index)")) }
        #expect(watchers.allSatisfy { $0.events.count == 1 })
        // Half of this is as much as the watched instances have.
        let memory = 2 * 5_000 * InstanceMemory.bytes(ofValue: 4)
        stand.store.memoryLimit = memory
        let other = try stand.watch("board.card?id=other")
        #expect(other.events == ["tooManyViews(bytes: \(memory / 2))"])
        #expect(try stand.watch("board.card?id=7").events == ["card?id=7=null"])
        #expect(try stand.read("board.card?id=other") == .null)
        watchers.removeFirst()
        watchers.removeFirst()
        #expect(try stand.watch("board.card?id=other").events == ["card?id=other=null"])
    }

    @Test func `an answer to an action contains instances at its commit`() throws {
        let stand = try BoardStand()
        let input = try CardChange(put: [ShownCard(id: "a", votes: 5)]).json()
        let reply = Reply()
        stand.store.perform(
            Call(
                feature: "board", action: "change", input: input,
                views: .ofServer(["board.card?id=a"], in: .main, stand.store.registry)), in: .main
        ) { reply.result = $0 }
        #expect(reply.told == "1 board.cards card?id=a=5")
    }

    @Test func `an instance follows a space that is reloaded`() throws {
        let journal = MemoryJournal()
        let stand = try BoardStand(journal)
        try stand.put(["a": 1])
        let told = try stand.watch("board.card?id=a")
        stand.store.forget(.main) { _ in }
        stand.executor.runPosted()
        try stand.put(["a": 9])
        #expect(told.events.last == "card?id=a=9")
    }

    @Test func `the graph contains views derived from an instance`() throws {
        let stand = try BoardStand()
        var variables: [String] = []
        stand.store.describe(["board.card?id=a"], in: .main) { result in
            variables = (try? result.get().graph.variables(behind: "board.card?id=a")) ?? []
        }
        #expect(variables == ["board.cards"])
    }
}
