import Outgoing
import StateStore
import Synchronization
import Testing

extension OutgoingTests {
    /// Proxies from the environment. Each test has a process of its own, because other requests would use its proxy too.
    struct ProxyTests {
        private static func get(_ url: String) throws -> Result<OutgoingResponse, FetchFailure> {
            try fetch(url, with: Outgoing())
        }

        // Law G8
        @Test func `an http request goes to http_proxy with its whole URL`() async {
            await #expect(processExitsWith: .success) {
                let proxy = try ScriptedServer.answering { line, request in
                    line.answer(String(request.prefix { $0 != "\r\n" }))
                }
                defer { proxy.close() }
                try with(["http_proxy": proxy.url, "no_proxy": nil]) {
                    let response = try Self.get("http://nobody.invalid/a?b").get()
                    #expect(response.body == Array("GET http://nobody.invalid/a?b HTTP/1.1".utf8))
                }
            }
        }

        // Law G8
        @Test func `a host in no_proxy is contacted directly`() async {
            await #expect(processExitsWith: .success) {
                let proxy = try ScriptedServer.answering { line, _ in line.answer("by the proxy") }
                let server = try ScriptedServer.answering { line, _ in line.answer("directly") }
                defer {
                    proxy.close()
                    server.close()
                }
                for (names, answer) in [
                    ("127.0.0.1", "directly"), ("elsewhere.test, 127.0.0.1", "directly"),
                    ("elsewhere.test", "by the proxy"),
                ] {
                    try with(["http_proxy": proxy.url, "no_proxy": names]) {
                        let body = try Self.get(server.url).get().body
                        #expect(body == Array(answer.utf8), "\(names)")
                    }
                }
            }
        }

        // Law G8
        @Test func `a proxy that does not answer, or refuses to connect, is a failure`() async {
            await #expect(processExitsWith: .success) {
                let proxy = try ScriptedServer.answering { line, _ in line.answer("no", status: "403 Forbidden") }
                try with(["https_proxy": proxy.url, "http_proxy": proxy.url, "no_proxy": nil]) {
                    guard case .failure(let failure) = try Self.get("https://nobody.invalid/") else {
                        throw TLSServer.NotStarted()
                    }
                    #expect(failure.description.contains("403"), "\(failure)")
                    proxy.close()
                }
                let gone = try ScriptedServer { _ in }
                gone.close()
                try with(["http_proxy": gone.url, "no_proxy": nil]) {
                    let result = try Self.get("http://nobody.invalid/")
                    #expect(kind(result) == .unreachable)
                }
            }
        }
    }
}

/// Fetches a URL, and waits for the result.
func fetch(_ url: String, with outgoing: Outgoing) throws -> Result<OutgoingResponse, FetchFailure> {
    let later = Promise<Result<OutgoingResponse, FetchFailure>>()
    _ = outgoing.fetch(OutgoingRequest("GET", url, target: "test")) { later.come($0) }
    return try later.wait()
}

/// Returns the kind of failure, or nil for a response.
func kind(_ result: Result<OutgoingResponse, FetchFailure>) -> FetchFailure.Kind? {
    if case .failure(let failure) = result { failure.kind } else { nil }
}

/// A list of texts that other threads append to.
final class TextLog: Sendable {
    private let notes = Mutex<[String]>([])

    func note(_ text: String) { notes.withLock { $0.append(text) } }

    var all: [String] { notes.withLock { $0 } }
}
