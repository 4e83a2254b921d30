import JSON
import Testing

@testable import Documents

/// Law DOC1: a faulty document is refused with all its faults, each at its place.
struct FaultTests {
    @Test(
        arguments: [
            ("state.cards[input.id].votess", "there is no member 'votess'; did you mean votes?"),
            ("size(state.card)", "there is no member 'card'; did you mean cards?"), ("1 +", "expected a value"),
            ("stat.topic", "unknown name 'stat'; did you mean state?"), ("now", "now in a view needs a grain"),
            ("newId()", "unknown function"), ("views.nope", "there is no member 'nope'"),
        ])
    func `a faulty expression is refused at its place`(_ source: String, _ words: String) throws {
        let text = BoardTests.board.replacing(
            "input.id in state.cards ? state.cards[input.id] : null", with: source)
        let found = faults(try parse(text))
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasPrefix("/views/card/expression: \(words)") == true, "\(found)")
    }

    @Test func `all faults come at once`() throws {
        let found = faults(
            try parse(
                #"""
                {"feature": "b", "home": "planet", "sate": {}, "given": ["c", "c"],
                 "state": {"x": {"value": {"type": "strin"}}, "t": {"table": {"key": {"type": "integer"}}},
                   "y": {"value": {"type": "integer"}, "initial": "a"}, "1": {"value": {}, "initial": 1}},
                 "actions": {"a": {"do": [{"st": "x"}, {"put": "t", "key": 3, "row": "1"}]},
                   "b": {"require": [{"that": "true", "else": {"status": 500}}]}},
                 "views": {"v": {}, "w": {"from": "t", "by": "row"}, "p": {"expression": "1", "parameters": {"at": {"type": "string"}}}},
                 "tests": [{"name": "n", "steps": [{"wait": 3}]}]}
                """#))
        #expect(
            found == [
                #"/sate: there is no member "sate"; did you mean state?"#, #"/home: home is "space" or "common""#,
                "/given/1: the feature c is in the list twice", "/state/x/initial: the member \"initial\" is missing",
                "/state/t/table/row: the member \"row\" is missing",
                "/state/y/initial: expected an integer, found a string",
                #"/state/1: "1" is no name: a name is a letter, then letters and digits, at most 64"#,
                #"/actions/a/do/0/st: there is no step "st"; did you mean set?"#,
                #"/actions/a/do/1/key: key is an expression in a string, such as "3", not a number"#,
                "/actions/b/require/0/else/status: the status of a refusal is 403, 409 or 422",
                "/actions/b/require/0/else/detail: the member \"detail\" is missing",
                "/actions/b/do: the member \"do\" is missing",
                #"/views/v: the view v has "expression", "from" or "source""#,
                "/views/w/by: by needs count, sum, min, max or average",
                "/views/p/parameters/at: a request uses the name at otherwise",
                #"/tests/0/steps/0: a step of a test has "act", "after", "expect" or "use""#,
                #"/state/x/value/type: there is no type "strin"; did you mean string?"#,
                #"/given/0: there is no feature "c""#,
            ], "\(found.joined(separator: "\n"))")
    }

    @Test func `faults of expressions come with those of parts that cannot be read`() throws {
        let found = faults(
            try parse(
                #"""
                {"feature": "b", "home": "space", "state": {"x": {"value": {"type": "integer"}, "initial": 1}},
                 "actions": {"a": {"let": [{"name": "l"}], "do": [{"set": "x", "to": "l"}]}, "o": 3,
                   "ok": {"do": [{"set": "x", "to": "state.y"}]}},
                 "views": {"v": {}, "w": {"expression": "views.v + state.z", "allow": "tokn.sub == ''"},
                   "u": {"expression": "views.v"}},
                 "schedules": {"s": {"for": "x", "at": "row.nope", "act": "o"}, "t": {"act": "b"},
                   "r": {"for": "x", "at": "row", "act": "none"}},
                 "allow": {"act": "nope"},
                 "tests": [{"name": "n", "steps": [{"act": "o"}, {"expect": {"v": 1}}, {"wait": 3}]}]}
                """#))
        let places = [
            "/actions/a/let/0/is", "/actions/o", "/views/v", "/schedules/t", "/tests/0/steps/2", "/schedules/r/act",
            "/allow/act", "/actions/ok/do/0/to", "/views/w/expression", "/views/w/allow", "/schedules/s/at",
            "/schedules/r/at",
        ]
        #expect(found.map { String($0.prefix { $0 != ":" }) } == places, "\(found.joined(separator: "\n"))")
    }

    @Test func `faults of expressions come with those of types, and of members that are unknown`() throws {
        let found = faults(
            try parse(
                ##"""
                {"feature": "b", "home": "space", "sate": {}, "given": ["c", "c"],
                 "types": {"Bad": {"type": "strin"}, "User": {"type": "array", "items": {"$ref": "#/types/Bad"}},
                   "Good": {"type": "integer"}},
                 "state": {"x": {"value": {"$ref": "#/types/Good"}, "initial": 1},
                   "u": {"value": {"$ref": "#/types/User"}, "initial": [""]}},
                 "views": {"v": {"expression": "state.xx"}, "w": {"expression": "state.u + 1"},
                   "g": {"expression": "given.c.x"}},
                 "actions": {"a": {"input": {"$ref": "#/types/User"}, "do": [{"set": "x", "to": "input"}]},
                   "ok": {"do": [{"set": "x", "to": "'a'"}]}}}
                """##))
        let places = [
            "/sate", "/given/1", "/types/Bad/type", "/given/0", "/actions/ok/do/0/to", "/views/v/expression",
        ]
        #expect(found.map { String($0.prefix { $0 != ":" }) } == places, "\(found.joined(separator: "\n"))")
    }

    @Test func `faults of expressions come with those of state that they do not read`() throws {
        let found = faults(
            try parse(
                #"""
                {"feature": "b", "home": "space", "given": ["none"],
                 "state": {"x": {"value": {"type": "integer"}, "initial": 1}, "bad": {"value": {"type": "strin"}, "initial": ""},
                   "rows": {"table": {"key": {"type": "string"}, "row": {"type": "integer"}}, "initial": {"a": "b"}}},
                 "actions": {"a": {"do": [{"set": "x", "to": "state.nope"}]}, "skipped": {"do": [{"set": "bad", "to": "1"}]},
                   "g": {"do": [{"set": "x", "to": "given.none.x"}]}},
                 "views": {"v": {"expression": "state.rows.a + state.nope"}, "w": {"expression": "state.x + 'a'"},
                   "u": {"expression": "views.v + views.w2"}, "f": {"from": "rows", "sum": "row.nope"}},
                 "schedules": {"s": {"for": "bad", "at": "row", "act": "a"}, "t": {"every": 60, "act": "a", "input": "nope"}},
                 "allow": {"read": "state.bad == ''", "act": "nope"}}
                """#))
        let places = [
            "/state/rows/initial/a", "/state/bad/value/type", "/given/0", "/allow/act", "/actions/a/do/0/to",
            "/views/w/expression", "/views/u/expression", "/schedules/t/input",
        ]
        #expect(found.map { String($0.prefix { $0 != ":" }) } == places, "\(found.joined(separator: "\n"))")
    }

    @Test(arguments: [
        (#""set": "topic", "to": "input.topic""#, #""set": "topic", "to": "3""#, "/actions/rename/do/0/to"),
        (#""set": "topic""#, #""set": "cards""#, "/actions/rename/do/0/set"),
        (#""row": "{'text': input.text}""#, #""row": "{'txt': input.text}""#, "/actions/add/do/0/row"),
        ("{'votes': row.votes + 1}", "{'votes': row.vots + 1}", "/actions/vote/do/0/with"),
        ("card {input.id} exists", "card {input.i} exists", "/actions/add/require/0/else/detail"),
        ("\"sum\": \"row.votes\"", "\"sum\": \"row.text\"", "/views/votes/sum"),
        ("\"where\": \"row.votes > 0\"", "\"where\": \"row.votes\"", "/views/top/where"),
        ("\"where\": \"row.votes > 0\"", "\"where\": \"size(state.cards) > 0\"", "/views/top/where"),
        ("\"from\": \"cards\", \"sum\"", "\"from\": \"card\", \"sum\"", "/views/votes/from"),
        ("\"expression\": \"state.topic\"", "\"expression\": \"views.topic\"", "/views/topic"),
        ("\"act\": \"vote\"", "\"act\": \"vot\"", "/tests/1/steps/1/act"),
    ])
    func `a fault of types or names has its place`(_ old: String, _ new: String, _ place: String) throws {
        let found = faults(try parse(BoardTests.board.replacing(old, with: new)))
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasPrefix(place + ":") == true, "\(found)")
    }
}
