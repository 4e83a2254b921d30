import JSON
import Testing

/// Exports, backups, imports and verifications over HTTP, beside those of the command line.
@Suite struct DirectoryOperationTests {
    private let scratch: Scratch
    private let server: Service
    private static let lines = ["Content-Type": "application/x-ndjson"]

    init() throws {
        scratch = try Scratch()
        server = try Service("--data", scratch.data, "--backups", scratch.path)
        for index in 0..<210 {
            let name = String(repeating: "n", count: 60)
            let reply = try server.ask("POST", "/v1/spaces/s\(index % 7)/user/logIn", #"{"name": "\#(name)\#(index)"}"#)
            guard reply.status == 200 else { throw Trouble("no action: \(reply)") }
        }
    }

    /// Starts an operation, and returns it once it has ended.
    private func run(_ body: String) throws -> JSON {
        let started = try server.ask("POST", "/v1/operations", body)
        #expect(started.status == 202, "\(started)")
        let path = try #require(started["Location"])
        var operation = try started.json
        let hasEnded = try server.eventually {
            operation = try server.ask("GET", path).json
            return operation["ended"] != nil
        }
        #expect(hasEnded, "\(operation)")
        return operation
    }

    // Law DIR1
    @Test func `an export over HTTP has the bytes of the command's`() throws {
        let reply = try server.ask("GET", "/v1/export")
        #expect(reply.status == 200 && reply["Content-Type"] == "application/x-ndjson")
        let command = try Program.run("export", scratch.data)
        #expect(command.status == 0 && reply.text == command.output && reply.body.count > 48_000)
        let one = try server.ask("GET", "/v1/export?space=s3")
        #expect(one.text == (try Program.run("export", scratch.data, "--space", "s3").output))
        let none = try server.ask("GET", "/v1/export?space=none")
        #expect(try none.status == 404 && none.json["type"] == "/problems/no-such-space")
        #expect(try server.ask("GET", "/v1/export?space=%2F").status == 422)
    }

    // Law DIR1
    @Test func `a backup and a verification say how far they are and how they ended`() throws {
        let verified = try run(#"{"operation": "verify"}"#)
        #expect(verified["status"] == "done" && verified["result"]?["isWhole"] == true)
        #expect(verified["progress"] == ["done": 7, "total": 7, "unit": "spaces"])
        let copied = try run(#"{"operation": "backup", "name": "monday"}"#)
        #expect(copied["status"] == "done" && copied["progress"]?["done"] == copied["progress"]?["total"])
        #expect(try Program.run("check", scratch.path + "/monday").status == 0)
        #expect(
            try Program.run("export", scratch.path + "/monday").output
                == Program.run("export", scratch.data).output)
        // The directory is there.
        let again = try run(#"{"operation": "backup", "name": "monday"}"#)
        #expect(again["status"] == "failed" && again["result"] == nil && again["problem"] != nil)
        guard case .array(let all)? = try server.ask("GET", "/v1/operations").json["operations"] else {
            throw Trouble("no list")
        }
        #expect(all.map { $0["operation"] } == ["backup", "backup", "verify"])
    }

    // Law DIR2
    @Test func `an import takes lines part by part, and makes the directory that the command makes`() throws {
        let export = try server.ask("GET", "/v1/export").text
        let middle = export.utf8.index(after: try #require(export.utf8.firstIndex(of: 10)))
        let parts = [String(export[..<middle]), String(export[middle...])]
        let started = try server.ask("POST", "/v1/operations", #"{"operation": "import", "name": "copy"}"#)
        let path = try #require(started["Location"]) + "/lines"
        func send(_ part: Int, _ text: String, isLast: Bool = false) throws -> Response {
            try server.ask("POST", "\(path)?part=\(part)\(isLast ? "&last=1" : "")", text, Self.lines)
        }
        let isRunning = try server.eventually { try send(2, parts[0]).status == 409 }
        #expect(isRunning)
        #expect(try server.ask("POST", "\(path)?part=1", parts[0]).status == 415)
        let first = try send(1, parts[0])
        #expect(try first.status == 200 && first.json["progress"]?["done"] == 1, "\(first)")
        #expect(try send(1, parts[0]).json["next"] == 2)
        let last = try send(2, parts[1], isLast: true)
        #expect(try last.status == 200 && last.json["status"] == "done", "\(last)")
        #expect(try Program.run("export", scratch.path + "/copy").output == export)
        #expect(try send(3, "").status == 409)
        // Without the last line nothing is imported.
        let other = try server.ask("POST", "/v1/operations", #"{"operation": "import", "name": "cut"}"#)
        let cut = try #require(other["Location"]) + "/lines?part=1&last=1"
        let failed = try server.ask("POST", cut, parts[0], Self.lines)
        #expect(try failed.status == 200 && failed.json["status"] == "failed", "\(failed)")
        #expect(try Program.run("check", scratch.path + "/cut").status != 0)
    }

    // Law DIR2
    @Test func `faults are named, and a server in memory has no directory`() throws {
        for (body, pointer) in [
            (#"{"operation": "fly"}"#, "/operation"), ("{}", "/operation"), (#"{"operation": "backup"}"#, "/name"),
            (#"{"operation": "backup", "name": "../x"}"#, "/name"), (#"{"operation": "verify", "name": "x"}"#, "/name"),
            (#"{"operation": "verify", "to": "x"}"#, "/to"),
        ] {
            let reply = try server.ask("POST", "/v1/operations", body)
            #expect(try reply.status == 422 && reply.json["pointer"] == .string(pointer), "\(body): \(reply)")
        }
        #expect(try server.ask("GET", "/v1/operations/99").status == 404)
        let memory = try Service("--memory")
        #expect(try memory.ask("GET", "/v1/export").status == 409)
        #expect(try memory.ask("POST", "/v1/operations", #"{"operation": "verify"}"#).status == 409)
        let plain = try Service("--data", scratch.path + "/other")
        let refused = try plain.ask("POST", "/v1/operations", #"{"operation": "backup", "name": "x"}"#)
        #expect(refused.status == 409 && refused.text.contains("--backups"))
    }

    // Law DIR2
    @Test func `a client that leaves an export ends it`() throws {
        for _ in 0..<5 {
            let client = try server.connect()
            try client.send("GET /v1/export HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try client.head()
        }
        // No place is taken for good.
        #expect(try server.eventually { try server.ask("GET", "/v1/export").status == 200 })
        #expect(try server.eventually { try server.metric("headwater_streams_active") == 0 })
    }
}
