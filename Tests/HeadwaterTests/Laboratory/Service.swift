import Glibc
import JSON

/// A server of the real program.
final class Service: Sendable {
    let program: Program
    let port: Int
    /// The line on standard output once it listens.
    let greeting: String

    /// Starts a server and waits until it listens.
    convenience init(_ arguments: String..., environment: [String: String] = [:], shell: String? = nil) throws {
        try self.init(arguments: arguments, environment: environment, shell: shell)
    }

    init(arguments: [String], environment: [String: String] = [:], shell: String? = nil) throws {
        // Without clients that a proxy sends, the end need not wait for them.
        let drain = arguments.contains("--drain") ? [] : ["--drain", "0"]
        program = try Program(["--port", "0"] + drain + arguments, environment, shell: shell)
        var output = Incoming(program.output)
        guard let line = try output.upTo("\n", Deadline()),
            let port = line.dropLast().split(separator: ":").last.flatMap({ Int($0) })
        else {
            throw Trouble("it does not listen")
        }
        self.port = port
        greeting = line
    }

    /// A server that most tests share, each in its own spaces.
    static func shared() throws -> Service { try sharedResult.get() }

    private static let sharedResult = Result {
        try Service("--memory", "--heartbeat", "1", "--request-timeout", "1", "--threads", "2")
    }

    /// Opens a connection.
    func connect() throws -> Client { try Client(port: port) }

    /// Sends a request on a new connection.
    @discardableResult
    func ask(
        _ method: String, _ path: String, _ body: String? = nil, _ fields: [String: String] = [:]
    ) throws -> Response {
        let client = try connect()
        try client.send(Request.text(method, path, body, fields))
        return try client.response(isHead: method == "HEAD")
    }

    /// Sends raw bytes on a new connection and returns all answers up to the end.
    func raw(_ bytes: String, isEnded: Bool = true) throws -> String {
        let client = try connect()
        try client.send(bytes)
        if isEnded { client.finish() }
        return try client.rest()
    }

    /// Opens a stream.
    func stream(_ path: String, _ fields: [String: String] = [:], receiveBytes: Int32? = nil) throws -> Client {
        let client = try Client(port: port, receiveBytes: receiveBytes)
        try client.send(Request.text("GET", path, nil, ["Accept": "text/event-stream"].merging(fields) { $1 }))
        let response = try client.head()
        guard response.status == 200, response["Content-Type"] == "text/event-stream" else {
            throw Trouble("no stream: \(response)")
        }
        return client
    }

    /// Changes a large view until a subscriber cannot keep up, and returns the number of changes. The last product's
    /// price equals that number.
    func changeMuch() throws -> Int {
        let actor = try connect()
        let name = String(repeating: "n", count: 90)
        func put(_ id: Int, _ price: Int) throws {
            try actor.send(
                Request.text(
                    "POST", "/v1/spaces/common/catalog/put",
                    "{\"id\": \(id), \"name\": \"\(name)\", \"price\": \(price)}"))
        }
        for id in 1_000..<1_300 { try put(id, 0) }
        for _ in 1_000..<1_300 { _ = try actor.response() }
        var count = 0
        while count < 2_000, try count % 20 != 0 || metric("headwater_frames_conflated_total") == 0 {
            count += 1
            try put(1_299, count)
            guard try actor.response().status == 200 else { throw Trouble("a product cannot be put") }
        }
        return count
    }

    /// Returns the value of a metric, or 0 if it is absent.
    func metric(_ name: String, _ fields: [String: String] = [:]) throws -> Double {
        let line = try ask("GET", "/metrics", nil, fields).text.split(separator: "\n").first {
            $0.hasPrefix(name + " ")
        }
        return line.flatMap { Double($0.dropFirst(name.count + 1)) } ?? 0
    }

    /// Polls until the condition holds, where there is no event to wait for.
    func eventually(_ isSo: () throws -> Bool) rethrows -> Bool {
        let deadline = Deadline()
        while deadline.millisecondsLeft > 0 {
            if try isSo() { return true }
            sched_yield()
        }
        return false
    }
}

/// The text of a request.
enum Request {
    static func text(
        _ method: String, _ path: String, _ body: String? = nil, _ fields: [String: String] = [:]
    ) -> String {
        var all = ["Host": "localhost"]
        if let body {
            all["Content-Type"] = "application/json"
            all["Content-Length"] = "\(body.utf8.count)"
        }
        all.merge(fields) { $1 }
        return "\(method) \(path) HTTP/1.1\r\n" + all.map { "\($0.key): \($0.value)\r\n" }.sorted().joined() + "\r\n"
            + (body ?? "")
    }
}
