import JSON
import StateStore
import Testing

@testable import Documents

/// Law DOC23: a definition means what its text means where it is used, with the values of its parameters.
struct DefinitionTests {
    private static func document(_ define: String, actions: String = "", views: String = "") -> String {
        #"""
        {"feature": "x", "home": "space", "define": {\#(define)},
         "types": {"Task": {"type": "object", "properties": {
            "owner": {"type": "string", "default": ""}, "done": {"type": "boolean", "default": false},
            "price": {"type": "number", "format": "decimal", "default": 0}}}},
         "state": {
           "n": {"value": {"type": "integer"}, "initial": 0},
           "tasks": {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Task"}},
             "indexes": {"open": {"by": ["row.owner"], "where": "!row.done"}}}},
         "actions": {
           "put": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "row": {"$ref": "#/types/Task"}}, "required": ["id", "row"]},
             "do": [{"put": "tasks", "key": "input.id", "row": "input.row"}]}\#(actions)},
         "views": {"n": {"expression": "state.n"}\#(views)}}
        """#
    }

    @Test func `expressions call definitions, which call others`() throws {
        let server = try DocumentServer(
            parse(
                Self.document(
                    #"""
                    "isOpen": {"of": {"row": {"$ref": "#/types/Task"}}, "is": "!row.done && row.owner != ''"},
                    "half": {"of": {"price": {"type": "number", "format": "decimal"}}, "is": "price / 2"},
                    "of": {"of": {"owner": {"type": "string"}}, "is": "index.open(owner)"},
                    "twice": {"of": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "is": "[a, b].map(x, x + b)"},
                    "mine": {"is": "size(of(token.sub)) + state.n"}
                    """#,
                    actions: #"""
                        , "ask": {"do": [], "answer": "{'mine': mine(), 'first': of('ada').firstKey(), 'half': half(3), 'hidden': [7].map(x, twice(x, [1].map(y, y)[0])), 'nested': twice(twice(1, 2)[0], 5)}"}
                        """#,
                    views: #"""
                        , "open": {"from": "tasks", "where": "isOpen(row)", "select": "{'id': key, 'half': half(row.price)}"},
                        "counts": {"expression": "mine()"}
                        """#)))
        try server.act("x/put", ["id": "a", "row": ["owner": "ada", "price": 5]])
        try server.act("x/put", ["id": "b", "row": ["owner": "ada", "done": true]])
        let answer = try server.act("x/ask", [:], by: "ada")
        #expect(answer["mine"] == 1)
        #expect(answer["first"] == "a")
        #expect(answer["half"] == 1.5)
        #expect(answer["hidden"] == [[8, 2]])
        #expect(answer["nested"] == [8, 10])
        #expect(try server.view("x.open") == [["id": "a", "half": 2.5]])
    }

    @Test func `a view is personal through a definition`() throws {
        let features = try compile([
            "x": parse(
                Self.document(
                    #""mine": {"is": "token.sub"}"#, views: #", "who": {"expression": "mine()"}"#))
        ])
        let view = features["x"]?.views.first { $0.label == "who" }
        #expect(view?.claims == ClaimSet(names: ["sub"]))
    }

    @Test func `steps are called with values`() throws {
        let server = try DocumentServer(
            parse(
                Self.document(
                    #"""
                    "add": {"of": {"by": {"type": "integer"}}, "do": [{"set": "n", "to": "state.n + by"}, {"call": "note", "with": {"text": "string(by)"}}]},
                    "note": {"of": {"text": {"type": "string"}}, "do": [{"put": "tasks", "key": "text", "row": "{'owner': text}"}]}
                    """#,
                    actions: #"""
                        , "go": {"let": [{"name": "by", "is": "100"}], "do": [{"call": "add", "with": {"by": "2"}}, {"each": "[3, 4]", "as": "i", "do": [{"call": "add", "with": {"by": "i"}}]}, {"set": "n", "to": "state.n + by"}], "answer": "state.tasks.map(k, k)"}
                        """#)))
        #expect(try server.act("x/go") == ["2", "3", "4"])
        #expect(try server.view("x.n") == 109)
    }

    @Test func `a failure names the definition and the use`() throws {
        let server = try DocumentServer(
            parse(
                Self.document(
                    #"""
                    "inverse": {"of": {"i": {"type": "integer"}}, "is": "1 / i"},
                    "divide": {"of": {"i": {"type": "integer"}}, "do": [{"set": "n", "to": "1 / i"}]}
                    """#,
                    actions: #"""
                        , "a": {"do": [{"set": "n", "to": "inverse(0)"}]}, "b": {"do": [{"call": "divide", "with": {"i": "0"}}]}
                        """#)))
        let first = server.refusal("x/a")?.description ?? ""
        #expect(first.contains("/actions/a/do/0/to") && first.contains("in /define/inverse/is: "), "\(first)")
        let second = server.refusal("x/b")?.description ?? ""
        #expect(
            second.contains("/define/divide/do/0/to, called at /actions/b/do/0: "), "\(second)")
    }

    @Test(arguments: [
        (#""a": {"is": "state.m"}"#, "", ["/define/a/is: there is no member 'm'"]),
        (
            #""a": {"is": "b()"}, "b": {"is": "a()"}"#, "",
            [
                "/define/a: a reads itself by way of b: a definition cannot be recursive",
                "/define/b: b reads itself by way of a: a definition cannot be recursive",
            ]
        ),
        (
            #""a": {"do": [{"call": "a"}]}"#, "",
            ["/define/a: a calls itself by way of a: a definition cannot be recursive"]
        ),
        (
            #""a": {"of": {"i": {"type": "integer"}}, "is": "i"}"#, #", "go": {"do": [], "answer": "a('x')"}"#,
            [
                "/actions/go/answer: a(i) takes another type as i: expected int, not string (at character 3)"
            ]
        ),
        (
            #""a": {"of": {"i": {"type": "integer"}}, "is": "i"}"#, #", "go": {"do": [], "answer": "a()"}"#,
            [
                "/actions/go/answer: a takes 1 value, not 0: write a(i)"
            ]
        ),
        (
            #""a": {"is": "input.nme"}"#,
            #", "go": {"input": {"type": "object", "properties": {"name": {"type": "string"}}}, "do": [], "answer": "a()"}"#,
            [
                "/actions/go/answer: in a (/define/a/is): there is no member 'nme'; did you mean name?"
            ]
        ),
        (
            #""isAdmin": {"is": "true"}"#, #", "go": {"do": [], "answer": "isAdmim()"}"#,
            [
                "/actions/go/answer: unknown function 'isAdmim'; did you mean isAdmin?"
            ]
        ),
        (
            #""a": {"of": {"i": {"type": "integer"}}, "do": []}"#,
            #", "go": {"do": [{"call": "a", "with": {"j": "1"}}]}"#,
            [
                "/actions/go/do/0/with/i: a needs i", "/actions/go/do/0/with/j: there is no parameter \"j\"",
            ]
        ),
        (
            #""a": {"do": []}"#, #", "go": {"do": [{"call": "b"}]}"#,
            [
                "/actions/go/do/0/call: there is no list of steps \"b\""
            ]
        ),
        (
            #""a": {"do": [{"set": "m", "to": "1"}]}"#, #", "go": {"do": [{"call": "a"}]}"#,
            [
                "/define/a/do/0/set: there is no variable \"m\""
            ]
        ),
        (#""size": {"is": "1"}"#, "", ["/define/size: expressions use the name size otherwise"]),
        (#""a": {"is": "1", "do": []}"#, "", ["/define/a: the definition a has one of is and do only"]),
        (#""a": {"is": "now"}"#, "", []),
    ])
    func `a faulty definition or use is refused with its place`(
        _ define: String, _ actions: String, _ words: [String]
    ) throws {
        let found = faults(try parse(Self.document(define, actions: actions)))
        #expect(found.count == words.count, "\(found)")
        for (one, other) in zip(found, words) { #expect(one.hasPrefix(other), "\(one)") }
    }

    @Test func `definitions that double are refused, and never expanded whole`() throws {
        var all = [#""d0": {"is": "1"}"#]
        for number in 1...40 { all.append(#""d\#(number)": {"is": "d\#(number - 1)() + d\#(number - 1)()"}"#) }
        let found = faults(try parse(Self.document(all.joined(separator: ", "))))
        #expect(found.count == 1 && found[0].contains("more than 4096 parts"), "\(found)")
        var steps = [#""s0": {"do": [{"set": "n", "to": "1"}]}"#]
        for number in 1...40 {
            let call = #"{"call": "s\#(number - 1)"}"#
            steps.append(#""s\#(number)": {"do": [\#(call), \#(call)]}"#)
        }
        let listed = faults(try parse(Self.document(steps.joined(separator: ", "))))
        #expect(listed.count == 1 && listed[0].contains("more than 4096 steps"), "\(listed)")
    }
}
