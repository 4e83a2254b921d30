import JSON
import ServiceInProcess
import Testing

/// Rules that come and go with documents.
@Suite struct DeployedRuleTests {
    private let service: ServiceInProcess
    private let root = ServiceInProcess.person("root")
    private let ada = ServiceInProcess.person("ada")

    init() throws {
        service = try ServiceInProcess(tokenFile: ServiceInProcess.people)
    }

    /// Puts a feature with a word, which the rule lets a client read.
    private func put(rule: String?, home: String = "space") throws {
        let allow = rule.map { #", "allow": "\#($0)""# } ?? ""
        let document = #"""
            {"feature": "safe", "home": "\#(home)", "state": {"word": {"value": {"type": "string"}, "initial": ""}},
             "actions": {"fill": {"input": {"type": "object", "properties": {"word": {"type": "string"}},
               "required": ["word"]}, "do": [{"set": "word", "to": "input.word"}]}},
             "views": {"word": {"expression": "state.word"\#(allow)}}}
            """#
        let reply = try service.ask("PUT /v1/features/safe", root, document)
        #expect(reply.status < 300, "\(reply.body)")
    }

    private func fill(_ word: String) throws {
        let reply = try service.ask("POST /v1/spaces/main/safe/fill", root, #"{"word": "\#(word)"}"#)
        #expect(reply.status == 200, "\(reply.body)")
    }

    @Test(arguments: ["", "?shared=1"])
    func `a run ends before the first value that a new rule forbids`(_ query: String) throws {
        try put(rule: nil)
        try fill("FIRST")
        let document = #"{"name": "s", "source": {"view": "safe.word"}, "operators": []}"#
        let reply = try service.ask("PUT /v1/spaces/main/streams/s", root, document)
        #expect(reply.status == 200, "\(reply.body)")
        let path = "GET /v1/spaces/main/streams/s/values\(query)"
        let stream = try service.connect()
        stream.send(path, ada)
        service.settle()
        stream.receive()
        #expect(stream.takeHead()?.contains(" 200") == true)
        #expect(stream.takeAll().contains("FIRST"))
        try put(rule: "token.sub == 'bob'")
        try fill("SECRET")
        service.advance(seconds: 1)
        stream.receive()
        #expect(!stream.takeAll().contains("SECRET") && stream.isEnded)
        #expect(try service.ask(path, ada).status == 403)
    }

    // Laws DEPLOY1 and ID6
    @Test(arguments: [("common", "main"), ("space", "common")])
    func `a feature that has moved to another home has its rules there`(_ first: String, _ space: String) throws {
        try put(rule: "false", home: first)
        #expect(try service.ask("DELETE /v1/features/safe?state=drop", root).status == 204)
        let path = "/v1/spaces/\(space)"
        try put(rule: "token.sub == 'bob'", home: first == "common" ? "space" : "common")
        #expect(try service.ask("POST \(path)/safe/fill", root, #"{"word": "SECRET"}"#).status == 200)
        #expect(try service.ask("GET \(path)/safe/word", ada).status == 403)
        let changes = try service.ask("GET \(path)/changes", ada).body
        #expect(changes.contains("safe/fill") && !changes.contains("SECRET"), "\(changes)")
        try put(rule: nil, home: first == "common" ? "space" : "common")
        #expect(try service.ask("GET \(path)/safe/word", ada).body.contains("SECRET"))
    }

    // Laws DEPLOY1 and ID7
    @Test(arguments: [
        "/v1/spaces/main/safe/word?events=1", "/v1/spaces/main/views?view=safe.word&view=user.name&events=1",
        "/v1/live?watch=main/safe.word&events=1",
    ])
    func `a stream that follows its view to another home asks the rules there`(_ target: String) throws {
        func put(_ word: String, home: String, rule: String?) throws {
            let allow = rule.map { #", "allow": "\#($0)""# } ?? ""
            let view = #"{"word": {"expression": "'\#(word)'"\#(allow)}}"#
            let document = #"{"feature": "safe", "home": "\#(home)", "views": \#(view)}"#
            #expect(try service.ask("PUT /v1/features/safe", root, document).status < 300)
            service.advance(seconds: 1)
        }
        try put("FIRST", home: "common", rule: nil)
        let stream = try service.connect()
        stream.send("GET \(target)", ada)
        service.settle()
        stream.receive()
        #expect(stream.takeHead()?.contains(" 200") == true)
        #expect(stream.takeAll().contains("FIRST"))
        try put("SECOND", home: "space", rule: nil)
        stream.receive()
        let moved = stream.takeAll()
        #expect(moved.contains("SECOND") && !stream.isEnded, "\(moved)")
        try put("SECRET", home: "common", rule: "token.sub == 'bob'")
        stream.receive()
        #expect(!stream.takeAll().contains("SECRET") && stream.isEnded)
        #expect(try service.ask("GET /v1/spaces/main/safe/word", ada).status == 403)
    }

    // Law ID6
    @Test func `changes show no refused firing of a feature with rules`() throws {
        let document = #"""
            {"feature": "safe", "home": "space",
             "state": {"words": {"table": {"key": {"type": "string"}, "row": {"type": "string"}}}},
             "actions": {"fill": {"input": {"type": "object", "properties": {"word": {"type": "string"}},
               "required": ["word"]}, "do": [{"put": "words", "key": "input.word", "row": "input.word"}]},
               "end": {"require": [{"that": "false", "else": {"detail": "the words are {state.words}"}}], "do": []}},
             "views": {"words": {"from": "words"}}, "allow": {"read": "token.sub == 'bob'"},
             "schedules": {"late": {"for": "words", "at": "'2000-01-01T00:00:00Z'", "act": "end"}}}
            """#
        #expect(try service.ask("PUT /v1/features/safe", root, document).status == 201)
        try fill("SECRET")
        service.advance(seconds: 1)
        let request = "GET /v1/spaces/main/changes"
        let body = try service.ask(request, ada).body
        #expect(body.contains(#""action":"schedules/refused""#) && !body.contains("SECRET"), "\(body)")
        #expect(try service.ask(request, root).body.contains(#""key":"SECRET""#))
    }

    @Test(arguments: ["changes", "changes?events=1", "changes?since=0&wait=1"])
    func `changes show no inputs of a feature that was removed with its rules`(_ path: String) throws {
        try put(rule: "token.sub == 'bob'")
        try fill("SECRET")
        #expect(try service.ask("DELETE /v1/features/safe?state=drop", root).status == 204)
        let request = "GET /v1/spaces/main/\(path)"
        let body = try service.ask(request, ada).body
        #expect(body.contains(#""action":"safe/fill"}"#) && !body.contains("SECRET"), "\(body)")
        #expect(try service.ask(request, root).body.contains("SECRET"))
    }
}
