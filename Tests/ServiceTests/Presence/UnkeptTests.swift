import JSON
import ServiceInProcess
import StateStore
import Testing

/// Tables that are not kept: they change without versions, and have no past.
@Suite struct UnkeptTests {
    private static let main = "/v1/spaces/main"

    private func service() throws -> ServiceInProcess { try ServiceInProcess(features: [.room]) }

    private func act(
        _ service: ServiceInProcess, _ action: String, _ body: String, _ fields: [String: String] = [:]
    ) throws -> Reply {
        try service.ask("POST \(Self.main)/room/\(action)", fields, body)
    }

    // Law U1
    @Test func `an action on what is not kept makes no version, and its views are there at once`() throws {
        let service = try service()
        #expect(try act(service, "rename", #"{"name": "tea"}"#).json["version"] == 1)
        let before = try service.ask("GET \(Self.main)/room/both")
        let tag = try service.ask("GET \(Self.main)")["ETag"]
        for x in 1...3 {
            let moved = try act(service, "move?view=room.cursors", #"{"name": "ada", "x": \#(x)}"#)
            #expect(try moved.status == 200 && moved.json["version"] == 1)
            #expect(try moved.json["changed"] == ["room.cursors"])
            #expect(try moved.json["views"] == ["room.cursors": [.string("ada:\(x)")]])
            #expect(try service.ask("GET \(Self.main)/room/cursor?name=ada").body == "\(x)")
        }
        #expect(try act(service, "move", #"{"name": "ada", "x": 3}"#).json["changed"] == [])
        let after = try service.ask("GET \(Self.main)/room/both")
        #expect(after.body == "\"tea 1\"" && before.body == "\"tea 0\"")
        // The numbers of the tag are the same, and its opaque part is another one.
        #expect(after["ETag"]?.prefix(5) == before["ETag"]?.prefix(5) && after["ETag"] != before["ETag"])
        #expect(try service.ask("GET \(Self.main)")["ETag"] == tag)
        let changes = try service.ask("GET \(Self.main)/changes")
        #expect(!changes.body.contains("cursors") && !changes.body.contains("move"))
    }

    @Test func `a space that was never written has what is not kept, and it is not unloaded`() throws {
        let service = try service()
        service.idleLimit = 1
        #expect(try act(service, "move", #"{"name": "ada", "x": 7}"#).json["version"] == 0)
        for index in 0..<20 { _ = try service.ask("GET /v1/spaces/other\(index)/room/both") }
        #expect(try service.ask("GET \(Self.main)/room/cursors").json == ["ada:7"])
        _ = try act(service, "remove", #"{"name": "ada"}"#)
        #expect(try service.ask("GET \(Self.main)/room/cursors").json == [])
    }

    @Test func `kept and not kept in one action is refused`() throws {
        let service = try service()
        let reply = try act(service, "both", #"{"name": "ada"}"#)
        #expect(try reply.status == 422 && reply.json["type"] == "/problems/invalid")
        #expect(try service.ask("GET \(Self.main)/room/both").body == "\" 0\"")
    }

    @Test(arguments: [
        "room/cursors?at=1", "room/cursors/history", "views/diff?from=0&to=1&view=room.both", "room/both?at=0",
        "room/cursor?name=ada&at=1", "room/cursor/history?name=ada", "views?at=1&view=room.cursors",
        "room/cursors/history?events=1", "streams/s/value?at=2",
    ])
    func `what derives from it has no past`(_ path: String) throws {
        let service = try service()
        _ = try act(service, "rename", #"{"name": "tea"}"#)
        let document = #"{"name": "s", "source": {"view": "room.cursors"}, "operators": []}"#
        #expect(try service.ask("PUT \(Self.main)/streams/s", [:], document).status == 200)
        let reply = try service.ask("GET \(Self.main)/\(path)")
        #expect(try reply.status == 409 && reply.json["type"] == "/problems/not-kept", "\(reply.status) \(reply.body)")
        #expect(try service.ask("GET \(Self.main)/room/topic?at=1").body == "\"tea\"")
        #expect(try service.ask("GET \(Self.main)/views?at=1").json["room.cursors"] == nil)
        #expect(try service.ask("GET \(Self.main)/views/diff?from=0&to=1").json["room.topic"] != nil)
    }

    @Test func `nothing can remember it`() throws {
        let service = try service()
        let document =
            #"{"name": "k", "source": {"view": "room.both"}, "operators": [{"scan": {"initialValue": 0, "#
            + #""expression": "accumulated"}}]}"#
        let reply = try service.ask("PUT \(Self.main)/streams/k", [:], document)
        #expect(reply.status == 422 && reply.body.contains("in memory only"))
    }

    @Test func `a restart empties it, and a return to the past leaves it`() throws {
        let folder = try TokenIssuer().folder
        let first = try ServiceInProcess(directory: folder + "-unkept", features: [.room])
        _ = try act(first, "rename", #"{"name": "tea"}"#)
        _ = try act(first, "rename", #"{"name": "milk"}"#)
        _ = try act(first, "move", #"{"name": "ada", "x": 7}"#)
        let restored = try first.ask("POST \(Self.main)/restore", [:], #"{"version": 1}"#)
        #expect(restored.status == 200)
        #expect(try first.ask("GET \(Self.main)/room/both").body == "\"tea 1\"")
        let end = first.close()
        let second = try ServiceInProcess(directory: folder + "-unkept", startingAt: end, features: [.room])
        #expect(try second.ask("GET \(Self.main)/room/both").body == "\"tea 0\"")
    }

    @Test func `a deleted space has nothing left of it`() throws {
        let service = try service()
        _ = try act(service, "rename", #"{"name": "tea"}"#)
        _ = try act(service, "move", #"{"name": "ada", "x": 7}"#)
        #expect(try service.ask("DELETE \(Self.main)").status == 204)
        #expect(try service.ask("GET \(Self.main)/room/both").body == "\" 0\"")
    }

    @Test func `a repeat with the same key is not performed again`() throws {
        let service = try service()
        let key = ["Idempotency-Key": "k1"]
        #expect(try act(service, "move", #"{"name": "ada", "x": 7}"#, key).status == 200)
        _ = try act(service, "move", #"{"name": "ada", "x": 8}"#)
        #expect(try act(service, "move", #"{"name": "ada", "x": 7}"#, key)["Idempotency-Replayed"] == "true")
        #expect(try service.ask("GET \(Self.main)/room/cursors").json == ["ada:8"])
    }

    // Law U2
    @Test(arguments: ["room/cursors?events=1", "views?view=room.cursors&events=1", "live"])
    func `500 changes in a second are at most 40 frames, and the last one arrives`(_ path: String) throws {
        let service = try service()
        let stream = try service.connect()
        stream.send("GET " + (path == "live" ? "/v1/live?events=1&watch=main/room.cursors" : "\(Self.main)/\(path)"))
        service.settle()
        stream.receive()
        _ = stream.takeAll()
        var frames = 0
        for index in 1...500 {
            _ = try act(service, "move", #"{"name": "ada", "x": \#(index)}"#)
            service.advance(milliseconds: 2)
        }
        service.advance(seconds: 1)
        stream.receive()
        var last = ""
        while let block = stream.takeBlock() {
            if block.contains("data:") {
                frames += 1
                last = block
            }
        }
        #expect(frames >= 20 && frames <= 41, "\(frames) frames")
        #expect(last.contains("ada:500"), "\(last)")
        // A commit is told at once, with what was gathered.
        _ = try act(service, "move", #"{"name": "ada", "x": 501}"#)
        _ = try act(service, "rename", #"{"name": "tea"}"#)
        stream.receive()
        #expect(path != "room/both" || stream.takeAll().contains("tea"))
    }
}
