import Hosting
import Documents
import Glibc
import JSON
import ServiceInProcess
import StateStore
import Testing

@testable import HeadwaterServer

/// `POST /v1/spaces/{space}/erase`.
@Suite struct EraseTests {
    private static let path = "POST /v1/spaces/main/erase"

    private static func row(_ table: String, _ key: String = "a") -> String {
        #"{"table": "\#(table)", "key": "\#(key)"}"#
    }

    // Law PRIV4
    @Test(arguments: ["clinic", "ward"], [true, false])
    func `an erased row is gone from the state and from every past`(_ feature: String, _ isOnDisk: Bool) throws {
        let directory = "/tmp/erase-\(getpid())-\(feature)-\(isOnDisk)"
        defer { Self.remove(directory) }
        let service = try ServiceInProcess.withClinic(directory: isOnDisk ? directory : nil)
        let other = #"{"id": "b", "patient": {"name": "Bob", "number": "1234"}}"#
        _ = try service.ask("POST /v1/spaces/main/\(feature)/admit", [:], other)
        let names = "/v1/spaces/main/\(feature)/names"
        let tag = try #require(try service.ask("GET \(names)")["ETag"]).dropFirst().dropLast()
        #expect(try service.ask("GET \(names)").body.contains("Ada"))
        let reply = try service.ask(Self.path, [:], Self.row("\(feature).patients"))
        #expect(reply.status == 200, "\(reply.body)")
        #expect(try reply.json["changed"] == [.string("\(feature).patients")])
        #expect(try service.ask("GET \(names)").body == #"["Bob"]"#)
        for past in 4...7 {
            let body = try service.ask("GET \(names)?at=\(past)").body
            #expect(!body.contains("Ada") && body.hasPrefix("["), "version \(past): \(body)")
        }
        #expect(try !service.ask("GET \(names)/history").body.contains("Ada"))
        let changes = try service.ask("GET /v1/spaces/main/changes")
        let commits = try #require(try changes.json.elements)
        let admission = try #require(commits.first { $0["action"] == .string("\(feature)/admit") })
        #expect(admission["input"] == .null && admission["withheld"] == ["/input"])
        #expect(admission["changed"]?["\(feature).patients"] == ["a": .null])
        let last = try #require(commits.last)
        #expect(last["action"] == "space/erase" && last["input"]?["key"] == "a" && last["by"] == ["sub": ""])
        // The other feature's row of this key is another row.
        let rest = feature == "clinic" ? "ward" : "clinic"
        #expect(try service.ask("GET /v1/spaces/main/\(rest)/names").body == #"["Ada"]"#)
        // What was answered before, or cached, does not bring it back.
        #expect(try !service.ask("GET \(names)?at=\(tag)").body.contains("Ada"))
    }

    @Test func `a row that is neither in the state nor in the history is not found`() throws {
        let service = try ServiceInProcess.withClinic()
        for (table, key) in [
            ("clinic.patients", "z"), ("clinic.code", "a"), ("clinic.nothing", "a"), ("nothing.patients", "a"),
            ("ward.code", ""), ("", ""),
        ] {
            let reply = try service.ask(Self.path, [:], Self.row(table, key))
            #expect(try reply.status == 404 && reply.json["type"] == "/problems/no-such-row", "\(table): \(reply.body)")
        }
        #expect(try service.ask(Self.path, [:], Self.row("clinic.patients")).status == 200)
        #expect(try service.ask(Self.path, [:], Self.row("clinic.patients")).status == 404)
        #expect(try service.ask("POST /v1/spaces/never/erase", [:], Self.row("clinic.patients")).status == 404)
        #expect(try service.ask("POST /v1/spaces/common/erase", [:], Self.row("clinic.patients")).status == 404)
    }

    @Test func `a row that is only in the history is erased from it`() throws {
        let service = try ServiceInProcess.withClinic()
        #expect(try service.ask("POST /v1/spaces/main/restore", [:], #"{"version": 0}"#).status == 200)
        #expect(try service.ask("GET /v1/spaces/main/ward/names").body == "[]")
        let reply = try service.ask(Self.path, [:], Self.row("ward.patients"))
        #expect(reply.status == 200, "\(reply.body)")
        #expect(try service.ask("GET /v1/spaces/main/ward/names?at=5").body == "[]")
        #expect(try service.ask(Self.path, [:], Self.row("ward.patients")).status == 404)
    }

    @Test func `a row of a feature that is gone is erased from the history`() throws {
        let service = try ServiceInProcess.withClinic()
        _ = try service.ask("DELETE /v1/spaces/main/streams/kept")
        #expect(try service.ask("DELETE /v1/features/ward?state=drop").status == 204)
        #expect(try service.ask(Self.path, [:], Self.row("ward.patients")).status == 200)
        let commits = try #require(try service.ask("GET /v1/spaces/main/changes").json.elements)
        let admission = try #require(commits.first { $0["action"] == "ward/admit" })
        #expect(admission["changed"]?["ward.patients"] == ["a": .null])
        #expect(try service.ask(Self.path, [:], Self.row("ward.patients")).status == 404)
    }

    @Test func `a repeat with the same key gets the same answer`() throws {
        let service = try ServiceInProcess.withClinic()
        let key = ["Idempotency-Key": "one"]
        let first = try service.ask(Self.path, key, Self.row("clinic.patients"))
        let second = try service.ask(Self.path, key, Self.row("clinic.patients"))
        #expect(first.status == 200 && second.status == 200 && first.body == second.body)
        #expect(second["Idempotency-Replayed"] == "true")
        #expect(try service.ask(Self.path, key, Self.row("ward.patients")).status == 422)
    }

    @Test func `watchers get one frame`() throws {
        let service = try ServiceInProcess.withClinic()
        let stream = try service.connect()
        stream.send("GET /v1/spaces/main/ward/names?events=1")
        service.settle()
        stream.receive()
        _ = try service.ask(Self.path, [:], Self.row("ward.patients"))
        service.settle()
        stream.receive()
        let text = stream.takeAll()
        #expect(text.components(of: "data: ") == [#"["Ada"]"#, "[]"], "\(text)")
    }

    @Test func `the answer has the views that are asked for`() throws {
        let service = try ServiceInProcess.withClinic()
        let reply = try service.ask("\(Self.path)?view=clinic.names", [:], Self.row("clinic.patients"))
        #expect(try reply.json["views"] == ["clinic.names": []])
    }

    @Test(arguments: [("ada", 403), ("eve", 403), ("root", 404)])
    func `it needs the right admin`(_ person: String, _ status: Int) throws {
        let service = try ServiceInProcess(tokenFile: ServiceInProcess.people)
        let reply = try service.ask(Self.path, ServiceInProcess.person(person), Self.row("cart.orders"))
        #expect(reply.status == status, "\(reply.body)")
    }

    @Test(arguments: [
        ("{}", "/table"), (#"{"table": 1, "key": "a"}"#, "/table"), (#"{"table": "a.b"}"#, "/key"), ("[]", ""),
        (#"{"table": "a.b", "key": "a", "x": 1}"#, "/x"),
    ])
    func `a body that names no row is refused`(_ body: String, _ pointer: String) throws {
        let reply = try ServiceInProcess().ask(Self.path, [:], body)
        #expect(try reply.status == 422 && reply.json["pointer"] == .string(pointer), "\(reply.body)")
    }

    @Test func `commits whose row was erased are rehearsed as they are`() throws {
        let service = try ServiceInProcess.withClinic()
        _ = try service.ask(Self.path, [:], Self.row("ward.patients"))
        let body = #"{"documents": {"ward": \#(ServiceInProcess.ward)}, "spaces": ["main"], "commits": 20}"#
        let reply = try service.ask("POST /v1/features:replay", [:], body)
        #expect(try reply.json["differences"] == [], "\(reply.body)")
    }

    @Test func `no feature has an action of the name of an erasure`() throws {
        let document =
            #"{"feature": "space", "home": "space", "state": {"t": {"value": {"type": "integer"}, "initial": 0}}, "#
            + #""actions": {"erase": {"do": [{"set": "t", "to": "1"}]}}}"#
        let reply = try ServiceInProcess(documents: FeatureCompiler()).ask("PUT /v1/features/space", [:], document)
        #expect([409, 422].contains(reply.status), "\(reply.body)")
    }

    private static func remove(_ directory: String) {
        for name in ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "lock", "synced", "life"] {
            unlink("\(directory)/\(name)")
        }
        rmdir(directory)
    }
}

extension JSON {
    fileprivate var elements: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
}

extension String {
    /// The rests of the lines that begin with a text.
    fileprivate func components(of start: String) -> [String] {
        split(separator: "\n").filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }
}
