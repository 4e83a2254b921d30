import ClientWorld
import Documents
@testable import HeadwaterClient
import JSON
import Observation
import ServiceInProcess
import StateStore
import Systems
import Testing

/// One client and one service, in virtual time.
@MainActor @Suite final class ClientTests {
    let service: ServiceInProcess
    let loop = HandLoop(seed: 1)
    let network = FaultyNetwork(seed: 1)
    let disk = MemoryStorage()

    init() throws {
        service = try ServiceInProcess()
    }

    private func client(token: String? = nil) -> HeadwaterClient {
        HeadwaterClient(transport: network, storage: disk, loop: loop) { _, answer in answer(.success(token)) }
    }

    private func advance(_ milliseconds: Int = 100, times: Int = 5) throws {
        try network.pass(times, of: milliseconds, loop, service)
    }

    private func outcome(_ performed: Performed<JSON>) -> (reply: ActionReply?, isShown: Bool, problem: ServerProblem?)
    {
        performed.wait.outcome
    }

    @Test func `an action is durable, then shown, and its result is typed`() async throws {
        let client = client()
        let space = client.space("main")
        let title = space.live(ViewName<String>("user.title"))
        try advance()
        #expect(title.phase == .loading, "nothing has reached the main actor yet")
        await Task.yield()
        #expect(title.phase == .current && title.value == "Logged out")
        let done = space.perform("user/logIn", ["name": "Ada"])
        try advance()
        #expect(try await done.durable().version == 1)
        try await done.shown()
        await Task.yield()
        #expect(title.value == "Ada")
        #expect(network.sent.filter { $0.hasPrefix("POST v1/live ") }.count == 1, "one connection")
    }

    @Test func `a refusal names the field, and stays to be retried unless a caller has got it`() async throws {
        let client = client()
        let space = client.space("main")
        let input: JSON = ["productId": 1, "quantity": 0]
        let told = space.perform("cart/add", input)
        let reader = Task { try await told.durable() }
        await Task.yield()
        try advance()
        await #expect(throws: ServerProblem.self) { try await reader.value }
        let problem = try #require(outcome(told).problem)
        #expect(problem.pointer == "/quantity" && problem.field == "quantity" && problem.status == 422)
        let untold = space.perform("cart/add", input)
        try advance()
        #expect(client.status.refused == 1 && client.status.waiting == 0)
        async let pending = client.pending()
        await Task.yield()
        loop.settle()
        #expect(await pending.map(\.id) == [untold.id])
        async let isDiscarded = client.discard(untold.id)
        await Task.yield()
        loop.settle()
        #expect(await isDiscarded)
        #expect(client.status.refused == 0)
    }

    // Law CLIENT5
    @Test func `one commit is one update of all views of a screen`() async throws {
        let client = client()
        let space = client.space("main")
        let count = space.live(ViewName<Int>("cart.numberOfItems"))
        let price = space.live(ViewName<JSON>("cart.totalPrice"))
        try advance()
        await Task.yield()
        #expect(count.value == 0 && price.value == 0)
        var shown: [String] = []
        let watcher = Task { @MainActor in
            for await pair in Observations({ "\(count.value ?? -1) \(price.value ?? .null)" }) {
                shown.append(pair)
                if pair.hasPrefix("3 ") { return }
            }
        }
        // Other tests use the main actor too, so the watcher has its turn after any number of others.
        for step in 0...3 {
            for _ in 0..<10_000 where shown.count <= step { await Task.yield() }
            guard step < 3 else { break }
            space.perform("cart/add", ["productId": 1])
            try advance()
        }
        await watcher.value
        #expect(shown.count == 4 && Set(shown).count == 4, "\(shown)")
    }

    @Test func `a cold start shows the last values as stale, and opens the stream with their tags`() async throws {
        var first: HeadwaterClient? = client()
        var title = first?.space("main").live(ViewName<String>("user.title"))
        try advance()
        first?.space("main").perform("user/logIn", ["name": "Ada"])
        try advance(500)
        #expect(title != nil)
        (first, title) = (nil, nil)
        loop.settle()
        network.isOnline = false
        let second = client()
        let again = second.space("main").live(ViewName<String>("user.title"))
        try advance()
        await Task.yield()
        guard case .stale = again.phase else { return #expect(Bool(false), "\(again.phase)") }
        #expect(again.value == "Ada" && second.status.connection == .offline)
        network.isOnline = true
        second.networkReturned()
        try advance()
        await Task.yield()
        #expect(again.phase == .current && again.value == "Ada" && second.status.connection == .live)
        #expect(network.sent.last?.contains("\"main/user.title\":\"1") == true, "\(network.sent)")
    }

    @Test func `a view that is opened and left changes the open stream after a grace`() async throws {
        let client = client()
        let space = client.space("main")
        let title = space.live("user.title")
        try advance()
        var second: LiveValue<JSON>? = space.live("cart.numberOfItems")
        try advance()
        #expect(network.sent.count == 2 && network.sent[1].hasPrefix("POST v1/live/"))
        let third = space.live("cart.numberOfItems")
        second = nil
        try advance(1_000, times: 7)
        #expect(second == nil && third.value == nil && network.sent.count == 2, "it is still read")
        await Task.yield()
        #expect(third.value == 0 && title.value == "Logged out")
    }

    @Test func `a view without readers is left when its grace is over`() throws {
        let client = client()
        let title = client.space("main").live("user.title")
        var second: LiveValue<JSON>? = client.space("main").live("cart.numberOfItems")
        try advance()
        #expect(second != nil)
        second = nil
        try advance(1_000, times: 3)
        #expect(network.sent.count == 1)
        try advance(1_000, times: 5)
        #expect(network.sent.count == 2 && network.sent[1].contains(#""unwatch":["main/cart.numberOfItems"]"#))
        withExtendedLifetime(title) {}
    }

    @Test func `a view that is not there is refused alone`() async throws {
        let client = client()
        let title = client.space("main").live("user.title")
        let wrong = client.space("main").live("user.titel")
        try advance()
        await Task.yield()
        #expect(title.phase == .current && wrong.problem?.status == 404)
    }

    @Test func `in the background there is no stream, and actions go on`() async throws {
        let client = client()
        let title = client.space("main").live(ViewName<String>("user.title"))
        try advance()
        client.enterBackground()
        let done = client.space("main").perform("user/logIn", ["name": "Ada"])
        try advance(1_000)
        #expect(client.status.connection == .background && outcome(done).reply != nil)
        await Task.yield()
        guard case .stale = title.phase else { return #expect(Bool(false), "\(title.phase)") }
        client.enterForeground()
        try advance()
        await Task.yield()
        #expect(title.phase == .current && title.value == "Ada" && outcome(done).isShown)
    }
}

/// Tokens of a client.
@Suite struct ClientTokenTests {
    private static let tokens = """
        7c3f6ea4fda1de0bd042a000e29c6cf75b0edf98a7228733604e0566a1ab54a9 read,act * subject=ada
        45da9173de4f9a455304d2f37c1bd994419ea01b59b8fc9af3fef5b98eaedcbc read,act * subject=bo
        """

    // Law CLIENT6
    @Test func `a token is asked for again after a 401, and another subject sees nothing of the first`() throws {
        let service = try ServiceInProcess(tokenFile: Self.tokens)
        let (loop, network, disk) = (HandLoop(seed: 2), FaultyNetwork(seed: 2), MemoryStorage())
        let source = TokenScript(["expired", "token-ada"])
        let client = HeadwaterClient(transport: network, storage: disk, loop: loop) { refused, answer in
            source.ask(refused, answer)
        }
        func advance(_ times: Int = 8) throws {
            try network.pass(times, of: 200, loop, service)
        }
        let shown = Collected()
        let watching = client.watch(ViewAddress(space: "main", view: "user.title")) { shown.add($0) }
        try advance()
        #expect(source.asked == [nil, "expired"] && shown.last?.value == "Logged out")
        let first = client.space("main").perform("user/logIn", ["name": "Ada"])
        try advance()
        #expect(first.wait.outcome.reply?.version == 1)
        #expect(shown.last?.value == "Ada")
        network.isOnline = false
        let second = client.space("main").perform("user/logIn", ["name": "Eve"])
        try advance()
        source.tokens = ["token-bo"]
        client.tokenChanged()
        loop.settle()
        #expect(shown.last?.phase == .loading && second.wait.outcome.problem?.type == "/problems/another-subject")
        network.isOnline = true
        try advance()
        #expect(shown.last?.value == "Ada" && client.status.waiting == 0, "the action waits for its subject")
        source.tokens = ["token-ada"]
        client.tokenChanged()
        try advance(12)
        #expect(shown.last?.value == "Eve" && client.status.waiting == 0)
        withExtendedLifetime(watching) {}
    }

    private final class TokenScript: @unchecked Sendable {
        // Sendable because the test turns everything on one thread.
        var tokens: [String]
        var asked: [String?] = []
        init(_ tokens: [String]) { self.tokens = tokens }
        func ask(_ refused: String?, _ answer: (Result<String?, any Error>) -> Void) {
            asked.append(refused)
            answer(.success(tokens.count > 1 ? tokens.removeFirst() : tokens[0]))
        }
    }

    private final class Collected: @unchecked Sendable {
        // Sendable because the test turns everything on one thread.
        var last: ShownValue?
        func add(_ value: ShownValue) -> (@MainActor @Sendable () -> Void)? {
            last = value
            return nil
        }
    }
}
