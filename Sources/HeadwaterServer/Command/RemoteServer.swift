import Glibc
import JSON
import Outgoing
import StateStore

/// A running server, as a command asks it: one request after another, with the token of the environment.
final class RemoteServer {
    /// The URL, without a slash at its end.
    let url: String
    private let token: String?
    private let client = Outgoing()

    /// The server at a URL.
    init(_ url: String, _ environment: [String: String]) throws(CommandFault) {
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw CommandFault("a server has a URL such as http://127.0.0.1:8080, not \(url)")
        }
        var url = url
        while url.hasSuffix("/") { url.removeLast() }
        self.url = url
        token = environment["HEADWATER_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
    }

    deinit { client.close() }

    /// Sends a request, and waits for its answer.
    func ask(
        _ method: String, _ path: String, body: [UInt8]? = nil, _ fields: [OutgoingRequest.HeaderField] = []
    ) throws(CommandFault) -> OutgoingResponse {
        switch attempt(method, path, body: body, fields) {
        case .success(let response): return response
        case .failure(let failure): throw CommandFault("\(url) cannot be reached: \(failure)")
        }
    }

    /// Returns the report on what a document would make of the state of all spaces, once the server has it.
    func rehearse(_ name: String, _ document: JSON) throws(CommandFault) -> JSON {
        var answer = try ask(
            "PUT", "/v1/features/\(name)?rehearse=1", body: document.written, [.init("Prefer", "respond-async")])
        while answer.status == 202, let place = answer["Location"] {
            Self.pause(after: 0, answer)
            answer = try ask("GET", place)
        }
        guard answer.status == 200, let report = try? JSON(parsing: answer.body) else {
            throw Self.fault(of: answer)
        }
        return report
    }

    /// Sends a request, and waits for its answer, or for the failure of the network.
    func attempt(
        _ method: String, _ path: String, body: [UInt8]? = nil, _ fields: [OutgoingRequest.HeaderField] = []
    ) -> Result<OutgoingResponse, FetchFailure> {
        let request = request(method, path, body, fields, within: .seconds(60))
        let answer = FetchedAnswer()
        let fetch = client.fetch(request) { answer.give($0) }
        defer { _ = fetch }
        return answer.wait()
    }

    /// Sends a request whose answer is a stream, and waits for its end. `piece` takes the bytes on another thread, and
    /// returns false to end the stream.
    func follow(
        _ path: String, body: [UInt8], silence: Duration, _ piece: @escaping @Sendable ([UInt8]) -> Bool
    ) -> Result<OutgoingResponse, FetchFailure> {
        let request = request("POST", path, body, [.init("Accept", "text/event-stream")], within: silence)
        let answer = FetchedAnswer()
        let fetch = client.follow(request, piece) { answer.give($0) }
        defer { _ = fetch }
        return answer.wait()
    }

    private func request(
        _ method: String, _ path: String, _ body: [UInt8]?, _ fields: [OutgoingRequest.HeaderField],
        within timeout: Duration
    ) -> OutgoingRequest {
        var request = OutgoingRequest(
            method, url + path, fields: fields, body: body, timeout: timeout, bodyLimitBytes: 64 * 1_024 * 1_024,
            target: "server")
        if body != nil { request.fields.append(.init("Content-Type", "application/json")) }
        if let token { request.fields.append(.init("Authorization", "Bearer \(token)")) }
        return request
    }

    /// Waits before a request is sent again: as long as the server says, or longer after each failure, with jitter.
    static func pause(after failures: Int, _ answer: OutgoingResponse? = nil) {
        if let seconds = answer?["Retry-After"].flatMap({ Int($0) }) {
            sleep(UInt32(min(max(seconds, 1), 60)))
        } else {
            usleep(UInt32(300_000 << min(failures, 4)) / 100 * UInt32.random(in: 50...150))
        }
    }

    /// True if a request that got an answer of a status may succeed later.
    static func isPassing(_ status: Int) -> Bool { [425, 429, 502, 503, 504].contains(status) }

    /// The fault of an answer that refuses.
    static func fault(of answer: OutgoingResponse) -> CommandFault {
        var words = "the server answers \(answer.status)"
        if let problem = try? JSON(parsing: answer.body) {
            if case .string(let detail)? = problem["detail"] { words += ": \(detail)" }
            if case .string(let pointer)? = problem["pointer"], !pointer.isEmpty { words += " (at \(pointer))" }
        }
        return CommandFault(words)
    }
}

/// The answer to a request that another thread waits for.
private final class FetchedAnswer: @unchecked Sendable {
    // Sendable because the semaphore orders the only write before the only read.
    private var result: Result<OutgoingResponse, FetchFailure>?
    private let isThere = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(isThere, 0, 0) }

    deinit {
        sem_destroy(isThere)
        isThere.deallocate()
    }

    func give(_ result: Result<OutgoingResponse, FetchFailure>) {
        self.result = result
        sem_post(isThere)
    }

    func wait() -> Result<OutgoingResponse, FetchFailure> {
        while sem_wait(isThere) != 0 {}
        return result ?? .failure(FetchFailure(.refused, "no answer"))
    }
}
