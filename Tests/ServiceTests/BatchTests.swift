import Documents
import JSON
import ServiceInProcess
import StateStore
import Testing

/// Several actions in one commit, and rehearsals.
@Suite struct BatchTests {
    private static let document = #"""
        {"feature": "tasks", "home": "space",
          "state": {"rows": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
              "title": {"type": "string", "minLength": 1}, "done": {"type": "boolean", "default": false}}}}},
            "here": {"table": {"key": {"type": "string"}, "row": {"type": "object"}}, "kept": false}},
          "actions": {
            "add": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "title": {"type": "string"}},
                "required": ["id", "title"]},
              "require": [{"that": "!(input.id in state.rows)", "else": {"status": 409, "detail": "there is {input.id}",
                "pointer": "/id"}}],
              "do": [{"put": "rows", "key": "input.id", "row": "{'title': input.title}"}], "answer": "size(state.rows)"},
            "finish": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
              "do": [{"update": "rows", "key": "input.id", "with": "{'done': true}"}]},
            "enter": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
              "do": [{"put": "here", "key": "input.id", "row": "{}"}]},
            "walk": {"input": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
              "do": [{"each": "lists.range(input.n)", "as": "i", "do": [{"when": "i < 0", "do": [{"clear": "rows"}]}]}]}},
          "views": {"all": {"from": "rows", "sort": ["key"]}, "count": {"expression": "size(state.rows)"},
            "present": {"expression": "size(state.here)"}}}
        """#
    private static let main = "/v1/spaces/main"

    private let service: ServiceInProcess

    init() throws {
        service = try ServiceInProcess()
        let reply = try service.ask("PUT /v1/features/tasks", [:], Self.document)
        #expect(reply.status == 201, "\(reply.body)")
    }

    private func add(_ id: String, title: String = "x") -> String {
        #"{"name": "tasks/add", "input": {"id": "\#(id)", "title": "\#(title)"}}"#
    }

    private func act(
        _ actions: [String], _ query: String = "", _ fields: [String: String] = [:], in space: String = "main"
    ) throws -> Reply {
        try service.ask(
            "POST /v1/spaces/\(space)/actions\(query)", fields,
            #"{"actions": [\#(actions.joined(separator: ", "))]}"#)
    }

    // Law K13
    @Test func `several actions are one commit, and each sees what those before it wrote`() throws {
        let finish = #"{"name": "tasks/finish", "input": {"id": "a"}}"#
        let reply = try act([add("a"), add("b"), finish], "?view=tasks.count")
        #expect(reply.status == 200 && reply["ETag"] != nil, "\(reply.body)")
        let answer = try reply.json
        #expect(answer["version"] == 1 && answer["results"] == [1, 2, .null] && answer["result"] == nil)
        #expect(answer["changed"] == ["tasks.rows"] && answer["views"] == ["tasks.count": 2])
        guard case .array(let changes) = try service.ask("GET \(Self.main)/changes").json else { return }
        #expect(changes.count == 1 && changes[0]["action"] == "space/actions")
        #expect(
            changes[0]["input"]?["actions"]?.elements.map { $0["name"] } == ["tasks/add", "tasks/add", "tasks/finish"])
        #expect(changes[0]["changed"]?["tasks.rows"]?["a"] == ["title": "x", "done": true])
        // Rows keep the order in which the actions added them.
        #expect(try service.ask("GET \(Self.main)/tasks/all").json.elements.map { $0["key"] } == ["a", "b"])
    }

    // Law K13
    @Test func `one refusal refuses all, with its problem and a pointer into the list`() throws {
        let taken = try act([add("a"), add("b"), add("a")])
        #expect(try taken.status == 409 && taken.json["pointer"] == "/actions/2/input/id")
        #expect(try taken.json["detail"] == "there is a")
        let untitled = try act([add("a"), add("b", title: "")])
        #expect(try untitled.status == 422 && untitled.json["pointer"] == "/actions/1/input/rows/*/title")
        let absent = try act([#"{"name": "tasks/finish", "input": {"id": "z"}}"#])
        #expect(try absent.status == 409 && absent.json["pointer"] == "/actions/0")
        #expect(try service.ask("GET \(Self.main)/tasks/count").body == "0")
        #expect(try service.ask("GET \(Self.main)").json["version"] == 0)
    }

    @Test func `faults of the list come all at once`() throws {
        let reply = try act([#"{"name": "tasks/ad"}"#, "1", #"{"input": {}}"#, #"{"name": "tasks/add", "input": []}"#])
        let problem = try reply.json
        #expect(reply.status == 422 && problem["pointer"] == "/actions/0/name")
        #expect(problem["detail"] == "there is no action \"tasks/ad\"; did you mean tasks/add?")
        #expect(
            problem["others"]?.elements.map { $0["pointer"] } == ["/actions/1", "/actions/2/name", "/actions/3/input"])
        #expect(try act([]).json["pointer"] == "/actions")
        #expect(try act(Array(repeating: add("a"), count: 101)).json["pointer"] == "/actions")
        #expect(try service.ask("POST \(Self.main)/actions", [:], "[]").status == 422)
        #expect(try service.ask("POST \(Self.main)/actions", [:], "{").status == 400)
        let stream = try act([#"{"name": "streams/put", "input": {}}"#])
        #expect(try stream.json["pointer"] == "/actions/0/name")
    }

    @Test func `features in Swift take part, and the home of all is one`() throws {
        let mixed = try act([
            add("a"), #"{"name": "user/logIn", "input": {"name": "Ada"}}"#,
            #"{"name": "cart/add", "input": {"productId": 1}}"#,
        ])
        #expect(try mixed.status == 200 && mixed.json["version"] == 1, "\(mixed.body)")
        #expect(try service.ask("GET \(Self.main)/user/title").body.contains("Ada"))
        let wrong = try act([add("b"), #"{"name": "catalog/remove", "input": {"id": 1}}"#])
        #expect(try wrong.status == 409 && wrong.json["type"] == "/problems/wrong-space", "\(wrong.body)")
        #expect(try wrong.json["pointer"] == "/actions/1/name")
        let other = try act([add("b")], in: "common")
        #expect(try other.status == 409 && other.json["type"] == "/problems/wrong-space")
    }

    @Test func `a key, a condition and views are those of one action`() throws {
        let key = ["Idempotency-Key": "k"]
        let first = try act([add("a"), add("b")], "", key)
        let again = try act([add("a"), add("b")], "", key)
        #expect(again.status == 200 && again["Idempotency-Replayed"] == "true" && again.body == first.body)
        #expect(try act([add("c")], "", key).status == 422)
        #expect(try act([add("c")], "", ["If-Match": "\"0-x\""]).status == 412)
        #expect(try act([add("c")], "", ["If-Match": first["ETag"] ?? ""]).status == 200)
        #expect(try act([add("d")], "?view=tasks.no").status == 404)
    }

    @Test func `all actions of a commit share one budget`() throws {
        let walk = #"{"name": "tasks/walk", "input": {"n": 6000}}"#
        #expect(try act([walk]).status == 200)
        let two = try act([walk, walk])
        #expect(try two.status == 422 && two.json["pointer"] == "/actions/1", "\(two.body)")
    }

    @Test func `kept and not kept in one list is refused`() throws {
        let enter = #"{"name": "tasks/enter", "input": {"id": "ada"}}"#
        let mixed = try act([add("a"), enter])
        #expect(try mixed.status == 422 && service.ask("GET \(Self.main)/tasks/count").body == "0")
        let unkept = try act([enter, #"{"name": "tasks/enter", "input": {"id": "bob"}}"#], "?view=tasks.present")
        #expect(try unkept.json["version"] == 0 && unkept.json["views"] == ["tasks.present": 2])
    }

    // Law K14
    @Test func `folds see each action in its order, now and when the history is replayed`() throws {
        let now = try service.ask("PUT \(Self.main)/streams/now", [:], Self.fold(begin: nil))
        #expect(now.status < 300, "\(now.body)")
        #expect(
            try act([add("a"), add("b"), #"{"name": "tasks/finish", "input": {"id": "a"}}"#, add("c")]).status == 200)
        #expect(try service.ask("GET \(Self.main)/streams/now/value").body == "\"abc\"")
        let replayed = try service.ask("PUT \(Self.main)/streams/then", [:], Self.fold(begin: 0))
        #expect(replayed.status < 300, "\(replayed.body)")
        #expect(try service.ask("GET \(Self.main)/streams/then/value").body == "\"abc\"")
    }

    private static func fold(begin: Int?) -> String {
        let begin = begin.map { #""begin": \#($0), "# } ?? ""
        return #"""
            {\#(begin)"source": {"fold": {"over": {"changes": ["tasks/add"]}, "initialValue": "", "expression":
              "accumulated + change.input.id"}}}
            """#
    }

    @Test func `a list counts as its actions for the rate`() throws {
        let service = try ServiceInProcess(rate: 3)
        let visit = #"{"name": "user/logIn", "input": {"name": "Ada"}}"#
        let reply = try service.ask(
            "POST \(Self.main)/actions", [:], #"{"actions": [\#([visit, visit, visit].joined(separator: ","))]}"#)
        #expect(reply.status == 200)
        #expect(try service.ask("POST \(Self.main)/user/logIn", [:], #"{"name": "Bob"}"#).status == 429)
    }

    // Law PRIV1
    @Test func `private parts of the inputs are withheld`() throws {
        let clinic = try ServiceInProcess(
            features: [Feature("clinic", ClinicState.init, ClinicService.init, ClinicViewModel.init)])
        let body = #"""
            {"actions": [{"name": "clinic/lock", "input": {"code": "s3cret"}},
              {"name": "clinic/admit", "input": {"id": "a", "patient": {"name": "Ada", "number": "n-4711"}}}]}
            """#
        let reply = try clinic.ask("POST \(Self.main)/actions", [:], body)
        #expect(reply.status == 200, "\(reply.body)")
        let changes = try clinic.ask("GET \(Self.main)/changes").body
        #expect(!changes.contains("s3cret") && !changes.contains("4711") && changes.contains("Ada"))
        #expect(changes.contains("/input/actions/0/input/code"))
        let rehearsed = try clinic.ask("POST \(Self.main)/actions?rehearse=1", [:], body).body
        #expect(!rehearsed.contains("s3cret") && !rehearsed.contains("4711"))
    }

    // MARK: Rehearsals

    // Law K15
    @Test func `a rehearsal answers as the action would, and keeps nothing`() throws {
        #expect(try act([add("a")]).status == 200)
        let tag = try service.ask("GET \(Self.main)")["ETag"]
        let reply = try act([add("b"), add("c")], "?rehearse=1&view=tasks.count&view=tasks.all")
        let answer = try reply.json
        #expect(reply.status == 200 && answer["version"] == 2 && answer["rehearsed"] == true, "\(reply.body)")
        #expect(answer["results"] == [2, 3] && answer["views"]?["tasks.count"] == 3)
        #expect(
            answer["changed"]?["tasks.rows"] == [
                "b": ["title": "x", "done": false], "c": ["title": "x", "done": false],
            ])
        #expect(answer["partial"] == ["tasks.rows"])
        let single = try service.ask(
            "POST \(Self.main)/tasks/add?rehearse=1", ["Idempotency-Key": "k"], #"{"id": "b", "title": "y"}"#)
        #expect(try single.json["result"] == 2 && single.json["version"] == 2)
        #expect(
            try service.ask("POST \(Self.main)/tasks/add?rehearse=1", [:], #"{"id": "a", "title": "y"}"#).status == 409)
        #expect(try service.ask("GET \(Self.main)/tasks/count").body == "1")
        #expect(try service.ask("GET \(Self.main)")["ETag"] == tag)
        // The key of the rehearsal is free.
        let real = try service.ask(
            "POST \(Self.main)/tasks/add", ["Idempotency-Key": "k"], #"{"id": "z", "title": "y"}"#)
        #expect(try real.status == 200 && real.json["version"] == 2)
        #expect(try service.ask("POST \(Self.main)/tasks/add?rehearse=2", [:], "{}").status == 422)
    }

    @Test func `a rehearsal sees rows in memory only, and conditions hold`() throws {
        let enter = #"{"name": "tasks/enter", "input": {"id": "ada"}}"#
        #expect(try act([enter]).status == 200)
        let second = try act(
            [#"{"name": "tasks/enter", "input": {"id": "bob"}}"#], "?rehearse=1&view=tasks.present")
        #expect(try second.json["views"] == ["tasks.present": 2] && second.json["changed"] == [:])
        #expect(try service.ask("GET \(Self.main)/tasks/present").body == "1")
        #expect(try act([add("a")], "?rehearse=1", ["If-Match": "\"5-x\""]).status == 412)
    }

    // Law ID6, Law K15
    @Test func `a rehearsal shows a view only if the rules permit it now and afterwards`() throws {
        let document = #"""
            {"feature": "club", "home": "space",
              "state": {"open": {"value": {"type": "boolean"}, "initial": false},
                "secret": {"value": {"type": "string"}, "initial": "plum"}},
              "actions": {"set": {"input": {"type": "object", "properties": {"open": {"type": "boolean"}},
                "required": ["open"]}, "do": [{"set": "open", "to": "input.open"}]}},
              "views": {"secret": {"expression": "state.secret", "allow": "state.open"}}}
            """#
        #expect(try service.ask("PUT /v1/features/club", [:], document).status == 201)
        let set = "POST \(Self.main)/club/set"
        let opening = try service.ask("\(set)?rehearse=1&view=club.secret", [:], #"{"open": true}"#)
        #expect(opening.status == 403 && !opening.body.contains("plum"))
        #expect(try service.ask(set, [:], #"{"open": true}"#).status == 200)
        let staying = try service.ask("\(set)?rehearse=1&view=club.secret", [:], #"{"open": true}"#)
        #expect(try staying.json["views"] == ["club.secret": "plum"])
        let closing = try service.ask("\(set)?rehearse=1&view=club.secret", [:], #"{"open": false}"#)
        #expect(try closing.json["views"] == [:] && !closing.body.contains("plum"))
    }
}

extension JSON {
    fileprivate var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
}
