import HeadwaterServer
import JSON
import Reactive
import StateStore
import Testing

@Suite(.timeLimit(.minutes(2))) struct EmbeddedServerTests {
    private let counter = Feature("counter", CounterState.init, CounterService.init, CounterViewModel.init)

    private func ask(
        _ server: EmbeddedServer, _ method: String, _ path: String, _ body: String? = nil
    ) throws -> Response {
        let client = try Client(port: server.port)
        let content =
            body.map { "Content-Type: application/json\r\nContent-Length: \($0.utf8.count)\r\n\r\n\($0)" } ?? "\r\n"
        try client.send("\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\(content)")
        return try client.response()
    }

    @Test func `a server within the process serves on a free port until it is stopped`() throws {
        let (one, other) = (try EmbeddedServer([counter]), try EmbeddedServer([counter]))
        #expect(one.port > 0 && one.port != other.port)
        #expect(try ask(one, "POST", "/v1/spaces/main/counter/add", #"{"by": 2}"#).status == 200)
        #expect(try ask(one, "GET", "/v1/spaces/main/counter/count").text == "2")
        #expect(try ask(other, "GET", "/v1/spaces/main/counter/count").text == "0")
        #expect(one.stop() && one.stop())
        #expect(throws: (any Error).self) { try Client(port: one.port) }
        #expect(try ask(other, "GET", "/v1/spaces/main/counter/count").text == "0")
        #expect(other.stop())
    }

    @Test func `a server with a data directory goes on where another has stopped`() throws {
        let directory = try Scratch()
        for count in 1...2 {
            let server = try EmbeddedServer([counter], options: ["--data", directory.path])
            #expect(try ask(server, "POST", "/v1/spaces/main/counter/add", #"{"by": 1}"#).status == 200)
            #expect(try ask(server, "GET", "/v1/spaces/main/counter/count").text == "\(count)")
            #expect(server.stop())
        }
    }

    @Test func `a faulty option and a faulty feature are thrown in words`() {
        for (features, options, words) in [
            ([counter], ["--bogus"], "bogus"), ([counter, counter], [], "two features are called counter"),
        ] {
            do {
                _ = try EmbeddedServer(features, options: options)
                Issue.record("it starts")
            } catch {
                #expect("\(error)".contains(words))
            }
        }
    }
}

private struct CounterState { let count = Variable(0) }

private struct Addition: Record { var by = 1 }

private struct CounterService: StateService {
    let add: Action<Addition>

    init(_ counter: CounterState) {
        add = Action { input, commit throws(Rejection) in commit[counter.count] += input.by }
    }
}

private struct CounterViewModel: ViewModel {
    let count: Observable<Int>

    init(_ counter: CounterState) { count = counter.count.map { $0 } }
}
