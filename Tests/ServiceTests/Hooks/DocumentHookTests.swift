import Foundation
import JSON
import ScriptedOutside
import ServiceInProcess
import Testing

/// Hooks that documents declare for every space.
@Suite struct DocumentHookTests {
    private static func document(_ hooks: String) -> String {
        #"""
        {"feature": "shop", "home": "space",
         "state": {"paid": {"value": {"type": "integer"}, "initial": 0}},
         "actions": {"pay": {"do": [{"set": "paid", "to": "state.paid + 1"}]}, "look": {"do": [{"set": "paid", "to": "state.paid + 10"}]}},
         "views": {"paid": {"expression": "state.paid"}}, "hooks": {\#(hooks)}}
        """#
    }

    private static func hook(
        _ source: String = #"{"changes": ["shop/pay"]}"#, url: String = HookReceiver.url, secret: String = "shop"
    ) -> String {
        #"{"source": \#(source), "url": "\#(url)", "secret": "\#(secret)"}"#
    }

    private func receiver(directory: String? = nil, startingAt time: Int64 = 0) throws -> HookReceiver {
        let file = FileManager.default.temporaryDirectory.appending(path: "hook-secret-\(UUID().uuidString)")
        try Data("\(HookReceiver.secret)\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try HookReceiver(
            directory: directory, startingAt: time, arguments: ["--secret", "shop=\(file.path)"], features: [])
    }

    private func put(_ receiver: HookReceiver, _ hooks: String) throws -> Reply {
        let reply = try receiver.service.ask("PUT /v1/features/shop", [:], Self.document(hooks))
        receiver.service.advance(seconds: 1)
        return reply
    }

    private func act(_ receiver: HookReceiver, _ action: String, in space: String) throws {
        #expect(try receiver.service.ask("POST /v1/spaces/\(space)/shop/\(action)", [:], "{}").status == 200)
        receiver.service.advance(milliseconds: 100)
    }

    // Law HOOK6
    @Test func `a hook of a document delivers from every space, signed by the secret of the operator`() throws {
        let receiver = try receiver()
        #expect(try put(receiver, #""paid": \#(Self.hook())"#).status == 201)
        try act(receiver, "look", in: "a")
        #expect(receiver.ids == [])
        try act(receiver, "pay", in: "a")
        #expect(receiver.answer())
        try act(receiver, "pay", in: "b")
        #expect(receiver.answer())
        try act(receiver, "pay", in: "a")
        #expect(receiver.answer())
        #expect(receiver.ids == ["a/2", "b/1", "a/3"])
        let key = try #require(HookSecretKey.key)
        for request in receiver.fetcher.requests {
            #expect(try request["webhook-signature"] == request.signature(key: key))
        }
        let list = try receiver.service.ask("GET /v1/features/shop/hooks")
        let hooks = try list.json["hooks"]
        #expect(list.status == 200 && hooks?[0]?["id"] == "paid" && hooks?[0]?["secret"] == "shop", "\(list.body)")
        #expect(
            hooks?[0]?["spaces"]?[0] == ["space": "a", "cursor": 3, "behind": 0, "problem": .null, "stopped": false])
        #expect(!list.body.contains("MfKQ9r8"))
        #expect(try receiver.service.ask("GET /v1/features/none/hooks").status == 404)
        // In its space, the hook can be read, and only the document changes it.
        #expect(try receiver.hook("shop.paid", in: "b")["cursor"] == 1)
        #expect(try receiver.put("shop.paid", in: "b").status == 409)
        #expect(try receiver.service.ask("DELETE /v1/spaces/b/hooks/shop.paid").status == 409)
    }

    // Law HOOK6
    @Test func `commits before the document are not delivered, and the hook goes with the document`() throws {
        let receiver = try receiver()
        #expect(try put(receiver, "").status == 201)
        try act(receiver, "pay", in: "a")
        try act(receiver, "pay", in: "b")
        #expect(try put(receiver, #""paid": \#(Self.hook())"#).status == 200)
        #expect(receiver.ids == [])
        try act(receiver, "pay", in: "a")
        #expect(receiver.answer() && receiver.ids == ["a/2"])
        // A hook with another source goes on where it was.
        #expect(try put(receiver, #""paid": \#(Self.hook(#"{"changes": ["shop/*"]}"#))"#).status == 200)
        try act(receiver, "look", in: "a")
        #expect(receiver.answer() && receiver.ids == ["a/2", "a/3"])
        #expect(try put(receiver, "").status == 200)
        try act(receiver, "pay", in: "a")
        try act(receiver, "pay", in: "b")
        #expect(receiver.ids == ["a/2", "a/3"])
        #expect(try receiver.service.ask("GET /v1/spaces/a/hooks").body == #"{"hooks":[]}"#)
    }

    // Law HOOK6
    @Test func `a hook over a view sends its values`() throws {
        let receiver = try receiver()
        #expect(try put(receiver, #""paid": \#(Self.hook(#"{"view": "shop.paid"}"#))"#).status == 201)
        try act(receiver, "pay", in: "a")
        #expect(receiver.answer())
        #expect(receiver.fetcher.requests.last?.text == "1")
    }

    @Test(arguments: [
        (hook(url: "http://evil.example/"), "/hooks/paid/url"), (hook(secret: "none"), "/hooks/paid/secret"),
        (hook(#"{"changes": ["shop"]}"#), "/hooks/paid/source/changes/0"),
        (hook(#"{"changes": []}"#), "/hooks/paid/source/changes"),
        (hook(#"{"view": "shop.none"}"#), "/hooks/paid/source/view"),
        (hook(#"{"view": 7}"#), "/hooks/paid/source/view"), (hook("{}"), "/hooks/paid/source"),
        (#"{"source": {"changes": ["shop/pay"]}, "secret": "shop"}"#, "/hooks/paid/url"), ("7", "/hooks/paid"),
        (#"{"source": {"changes": ["shop/pay"]}, "url": "U", "secret": "shop", "key": "x"}"#, "/hooks/paid/key"),
    ])
    func `a faulty hook of a document has its place`(_ hook: String, _ pointer: String) throws {
        let receiver = try receiver()
        let reply = try put(receiver, #""paid": \#(hook)"#)
        #expect(reply.status == 422 && reply.body.contains("\"\(pointer)\""), "\(reply.body)")
    }
}

/// The key that `HookReceiver.secret` stands for.
private enum HookSecretKey {
    static var key: [UInt8]? {
        Data(base64Encoded: String(HookReceiver.secret.dropFirst("whsec_".count))).map { Array($0) }
    }
}
