import JSON
import ScriptedOutside
import ServiceInProcess
import Testing

/// The commits of `common` that have documents or name hooks.
@Suite struct HiddenCommitTests {
    private static let document = #"""
        {"feature": "safe", "home": "space",
         "state": {"word": {"value": {"type": "string", "private": true}, "initial": "PRIVATE"}},
         "actions": {"clear": {"do": [{"set": "word", "to": "''"}]}},
         "views": {"size": {"expression": "size(state.word)"}}}
        """#

    private let receiver: HookReceiver
    private var service: ServiceInProcess { receiver.service }

    init() throws {
        receiver = try HookReceiver(tokenFile: ServiceInProcess.people)
    }

    private func ask(_ line: String, _ person: String, _ body: String = "") throws -> Reply {
        let reply = try service.ask(line, ServiceInProcess.person(person), body)
        #expect((200...204).contains(reply.status), "\(line) \(person): \(reply)")
        return reply
    }

    /// A document, a hook of a space, and a commit of an example in `common`.
    private func change() throws {
        _ = try ask("PUT /v1/features/safe", "root", Self.document)
        try receiver.put("HOOK", in: "hidden", by: "root")
        _ = try ask("POST /v1/spaces/common/catalog/setDiscount", "root", #"{"rate": 0.25}"#)
    }

    /// The commit of the example shows its input.
    private static let whole = #""action":"catalog/setDiscount","input""#
    private static let heads = [#""action":"features/put"}"#, #""action":"hooks/put"}"#]

    // Law ID11
    @Test(arguments: ["changes", "changes?events=1", "changes?since=0&wait=1", "changes?since=0&limit=9"])
    func `changes of common show documents and hooks to administrators only`(_ path: String) throws {
        try change()
        let request = "GET /v1/spaces/common/\(path)"
        for person in ["ada", "eve"] {
            let body = try ask(request, person).body
            for hidden in ["PRIVATE", "safe", "HOOK", "hidden"] {
                #expect(!body.contains(hidden), "\(person): \(body)")
            }
            for shown in Self.heads + [Self.whole] { #expect(body.contains(shown), "\(person): \(body)") }
        }
        let whole = try ask(request, "root").body
        for shown in ["safe", "HOOK", Self.whole] { #expect(whole.contains(shown), "\(whole)") }
    }

    // Law ID11
    @Test func `a stream of changes shows each reader its part`() throws {
        let readers = try ["eve", "root"].map { person in
            let reader = try service.connect()
            reader.send("GET /v1/spaces/common/changes?events=1", ServiceInProcess.person(person))
            return reader
        }
        service.settle()
        try change()
        service.settle()
        let texts = readers.map { reader in
            reader.receive()
            _ = reader.takeHead()
            return reader.takeAll()
        }
        #expect(Self.heads.allSatisfy(texts[0].contains) && texts[0].contains(Self.whole), "\(texts[0])")
        #expect(!texts[0].contains("safe") && !texts[0].contains("HOOK"), "\(texts[0])")
        #expect(texts[1].contains("safe") && texts[1].contains("HOOK") && texts[1].contains(Self.whole), "\(texts[1])")
    }

    @Test(arguments: [("root", true), ("ada", false)])
    func `a hook delivers what its owner learns`(_ owner: String, _ isWhole: Bool) throws {
        try receiver.put("h", in: "common", #"{"changes": ["*"]}"#, by: owner)
        try change()
        for _ in 0..<2 { receiver.answer() }
        let deliveries = receiver.fetcher.requests
        try #require(deliveries.map { $0["ce-subject"] } == ["features/put", "catalog/setDiscount"])
        #expect(deliveries[0].text.contains("safe") == isWhole, "\(deliveries[0].text)")
        #expect(isWhole || deliveries[0].text.hasSuffix(Self.heads[0]), "\(deliveries[0].text)")
        #expect(deliveries[1].text.contains(Self.whole), "\(deliveries[1].text)")
    }

    @Test func `a hook that another owner puts again delivers what that one learns`() throws {
        try receiver.put("h", in: "common", #"{"changes": ["features/*"]}"#, by: "root")
        try receiver.put("h", in: "common", #"{"changes": ["features/*"]}"#, by: "ada")
        try change()
        receiver.answer()
        #expect(receiver.fetcher.requests.map(\.text).allSatisfy { $0.hasSuffix(Self.heads[0]) })
        #expect(receiver.fetcher.requests.count == 1)
    }
}
