import Foundation
import Ground
import HeadwaterClient
import JSON
import Synchronization
import Testing

/// The Swift client against the real program, over `URLSession` and with files.
@Suite struct SwiftClientTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    /// The program at a port, which a test can kill and start again.
    private func serve(_ port: Int = 0) throws -> Service {
        try Service("--data", scratch.data, "--port", "\(port)", "--heartbeat", "1", "--threads", "2")
    }

    /// A client of a port, with its storage in the scratch directory.
    private func client(_ port: Int) throws -> HeadwaterClient {
        let address = try #require(URL(string: "http://127.0.0.1:\(port)"))
        return HeadwaterClient(address, storage: FileStorage(folder: URL(fileURLWithPath: scratch.path + "/app")))
    }

    // Laws CLIENT1, CLIENT2
    @Test(.timeLimit(.minutes(2)))
    func `actions and views go on through a kill of the server and one of the app`() async throws {
        var server = try serve()
        let port = server.port
        var app: HeadwaterClient? = try client(port)
        let values = try #require(app).space("room-7").values(of: ViewName<Int>("cart.numberOfItems"))
        let reader = Task {
            var seen: [Int] = []
            for await value in values {
                seen.append(value)
                if value >= 12 { break }
            }
            return seen
        }
        let space = try #require(app).space("room-7")
        for _ in 0..<6 { space.perform("cart/add", ["productId": 1]) }
        try await space.perform("cart/add", ["productId": 1]).shown()
        server.program.kill(SIGKILL)
        _ = server.program.wait()
        for _ in 0..<5 { space.perform("cart/add", ["productId": 1]) }
        // The status tells that the server is away.
        for await status in try #require(app).statuses {
            if status.connection == .offline { break }
        }
        #expect(try await #require(app).pending().count == 5)
        server = try serve(port)
        let seen = await reader.value
        #expect(seen == seen.sorted() && seen.last == 12, "\(seen)")
        app = nil
        // Another life of the app has nothing to send, and shows the last kept value before the present one.
        let again = try client(port)
        var later: [Int] = []
        for await count in again.space("room-7").values(of: ViewName<Int>("cart.numberOfItems")) {
            later.append(count)
            if count >= 12 { break }
        }
        #expect(later == later.sorted() && later.last == 12, "\(later)")
        #expect(await again.pending().isEmpty)
        server.program.kill(SIGTERM)
    }

    @Test(.timeLimit(.minutes(1))) func `a refusal names the field, and a result is read`() async throws {
        let server = try Service.shared()
        let client = try HeadwaterClient(
            transport: URLSessionTransport(#require(URL(string: "http://127.0.0.1:\(server.port)"))))
        let space = client.space("swift-client")
        let action = space.perform("cart/add", ["productId": 1, "quantity": 0])
        do {
            try await action.durable()
            Issue.record("the action was performed")
        } catch let problem as ServerProblem {
            #expect(problem.field == "quantity" && problem.status == 422 && problem.type.hasPrefix("/problems/"))
        }
        #expect(try await space.perform("user/logIn", ["name": "Ada"]).durable().version == 1)
        #expect(await client.pending().isEmpty)
    }
}
