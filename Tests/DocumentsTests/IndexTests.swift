import JSON
import StateStore
import Testing

@testable import Documents

/// Law DOC21: an index has the rows of its table as the action or the view sees them, in its order.
struct IndexTests {
    static let document = #"""
        {"feature": "x", "home": "space",
         "types": {"Task": {"type": "object", "properties": {
            "project": {"type": "string", "default": "p"}, "order": {"type": "integer", "default": 0},
            "owner": {"type": ["string", "null"], "default": null}, "done": {"type": "boolean", "default": false},
            "due": {"type": ["string", "null"], "format": "date-time", "default": null}}}},
         "state": {
           "tasks": {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Task"}},
             "indexes": {
               "byProject": {"by": ["row.project"], "sort": ["row.order"]},
               "latest": {"by": ["row.project"], "sort": ["-row.order", "key"]},
               "byOwner": {"by": ["row.owner"]},
               "overdue": {"where": "!row.done && row.due != null", "sort": ["timestamp(row.due)"]},
               "bySlot": {"by": ["row.project", "row.order"], "unique": true, "where": "row.project == 'slots'"}}},
           "log": {"value": {"type": "array", "items": {}}, "initial": []}},
         "actions": {
           "put": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "row": {"$ref": "#/types/Task"}}, "required": ["id", "row"]},
             "do": [{"put": "tasks", "key": "input.id", "row": "input.row"}]},
           "remove": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
             "do": [{"remove": "tasks", "key": "input.id"}]},
           "clear": {"do": [{"clear": "tasks"}]},
           "addLast": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "project": {"type": "string"}}, "required": ["id", "project"]},
             "let": [{"name": "last", "is": "cel.bind(l, index.byProject(input.project).last(), l == null ? 0 : l.order)"}],
             "do": [{"put": "tasks", "key": "input.id", "row": "{'project': input.project, 'order': last + 1}"}],
             "answer": "size(index.byProject(input.project))"},
           "swap": {"input": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a", "b"]},
             "let": [{"name": "one", "is": "state.tasks[input.a].order"}, {"name": "other", "is": "state.tasks[input.b].order"}],
             "do": [{"update": "tasks", "key": "input.a", "with": "{'order': other}"},
                    {"update": "tasks", "key": "input.b", "with": "{'order': one}"}]},
           "walk": {"input": {"type": "object", "properties": {"project": {"type": "string"}, "drop": {"type": "string", "default": ""}}, "required": ["project"]},
             "do": [{"each": "index.byProject(input.project)", "as": "k", "do": [
               {"set": "log", "to": "state.log + [k]"}, {"when": "input.drop != ''", "do": [{"remove": "tasks", "key": "input.drop"}]},
               {"update": "tasks", "key": "k", "with": "{'project': 'elsewhere'}"}]}],
             "answer": "state.log"},
           "fail": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
             "do": [{"remove": "tasks", "key": "input.id"}, {"put": "tasks", "key": "'new'", "row": "{'order': 7}"},
                    {"set": "log", "to": "[1 / 0]"}]},
           "ask": {"input": {"type": "object", "properties": {"project": {"type": "string"}, "n": {"type": "integer", "default": 0}}, "required": ["project"]},
             "do": [], "answer": "{'keys': index.byProject(input.project).map(k, k), 'size': size(index.byProject(input.project)), 'groups': size(index.byProject), 'first': index.byProject(input.project).firstKey(), 'last': index.byProject(input.project).lastKey(), 'from': index.byProject(input.project).from(input.n).map(k, k), 'until': index.byProject(input.project).until(input.n).map(k, k), 'two': index.byProject(input.project).from(input.n).limit(2).map(k, k), 'falling': index.latest(input.project).from(input.n).map(k, k), 'has': 'a' in index.byProject(input.project), 'owners': index.byOwner(null).map(k, k), 'overdue': index.overdue().limit(3).map(k, k), 'sum': index.byProject(input.project).transformList(k, row, row.order)}"}},
         "views": {
           "keys": {"parameters": {"project": {"type": "string"}}, "expression": "index.byProject(input.project).map(k, k)"},
           "rows": {"parameters": {"project": {"type": "string"}}, "expression": "index.byProject(input.project)"},
           "groups": {"expression": "index.byProject.size()"},
           "next": {"expression": "index.overdue().first()"}}}
        """#

    private func server() throws -> DocumentServer { try DocumentServer(parse(Self.document)) }

    private func put(_ server: DocumentServer, _ id: String, _ row: JSON) throws {
        try server.act("x/put", ["id": .string(id), "row": row])
    }

    @Test func `an action reads first, last, ranges and sizes without a walk`() throws {
        let server = try server()
        try put(server, "a", ["order": 3])
        try put(server, "b", ["order": 1])
        try put(server, "c", ["order": 2, "owner": "ada"])
        try put(server, "d", ["project": "q", "order": 9, "due": "2026-01-03T00:00:00Z"])
        try put(server, "e", ["project": "q", "order": 9, "due": "2026-01-02T01:00:00+02:00"])
        let answer = try server.act("x/ask", ["project": "p", "n": 2])
        #expect(answer["keys"] == ["b", "c", "a"])
        #expect(answer["size"] == 3)
        #expect(answer["groups"] == 2)
        #expect(answer["first"] == "b")
        #expect(answer["last"] == "a")
        #expect(answer["from"] == ["c", "a"])
        #expect(answer["until"] == ["b"])
        #expect(answer["two"] == ["c", "a"])
        #expect(answer["falling"] == ["c", "b"])
        #expect(answer["has"] == true)
        #expect(answer["owners"] == ["a", "b", "d", "e"])
        #expect(answer["overdue"] == ["e", "d"])
        #expect(answer["sum"] == [1, 2, 3])
        let none = try server.act("x/ask", ["project": "none"])
        #expect(none["first"] == .null)
        #expect(none["size"] == 0)
    }

    @Test func `an action sees its own writes in an index, and one that fails leaves none`() throws {
        let server = try server()
        #expect(try server.act("x/addLast", ["id": "a", "project": "p"]) == 1)
        #expect(try server.act("x/addLast", ["id": "b", "project": "p"]) == 2)
        #expect(server.refusal("x/fail", ["id": "a"])?.kind == .invalid)
        #expect(try server.act("x/ask", ["project": "p"])["keys"] == ["a", "b"])
        try server.act("x/clear")
        #expect(try server.act("x/ask", ["project": "p"])["keys"] == [])
        #expect(try server.view("x.groups") == 0)
    }

    @Test func `each walks the keys as they were, without rows that went`() throws {
        let server = try server()
        for id in ["a", "b", "c"] { try server.act("x/addLast", ["id": .string(id), "project": "p"]) }
        #expect(try server.act("x/walk", ["project": "p", "drop": "b"]) == ["a", "c"])
        #expect(try server.act("x/ask", ["project": "p"])["size"] == 0)
        #expect(try server.act("x/ask", ["project": "elsewhere"])["keys"] == ["a", "c"])
    }

    @Test func `a unique index is asked of what the action leaves`() throws {
        let server = try server()
        try put(server, "a", ["project": "slots", "order": 1])
        try put(server, "b", ["project": "slots", "order": 2])
        try server.act("x/swap", ["a": "a", "b": "b"])
        #expect(try server.act("x/ask", ["project": "slots"])["keys"] == ["b", "a"])
        let refusal = server.refusal("x/put", ["id": "c", "row": ["project": "slots", "order": 1]])
        #expect(refusal?.kind == .conflict)
        #expect(refusal?.problem["index"] == "bySlot")
        #expect(refusal?.problem["key"] == "c")
        #expect(refusal?.problem["other"] == "b")
        #expect(try server.act("x/ask", ["project": "slots"])["keys"] == ["b", "a"])
        // Other groups are not of the index, so they may repeat.
        try put(server, "c", ["order": 1])
        try put(server, "d", ["order": 1])
    }

    @Test func `a view of a group follows its rows`() throws {
        let server = try server()
        try put(server, "a", ["order": 2])
        #expect(try server.view("x.keys?project=p") == ["a"])
        try put(server, "b", ["order": 1])
        #expect(try server.view("x.keys?project=p") == ["b", "a"])
        #expect(try server.view("x.groups") == 1)
        try put(server, "c", ["project": "q", "due": "2026-01-01T00:00:00Z"])
        #expect(try server.view("x.groups") == 2)
        #expect(try server.view("x.next")["project"] == "q")
        try server.act("x/remove", ["id": "c"])
        #expect(try server.view("x.next") == .null)
        #expect(try server.view("x.rows?project=p")["a"]?["order"] == 2)
    }

    @Test(arguments: [
        (#""answer": "index.byProjekt('a')""#, "there is no index 'byProjekt'; did you mean byProject?"),
        (#""answer": "index.byProject(1)""#, "index.byProject(string) does not take int"),
        (#""answer": "index.byProject()""#, "index.byProject(string) does not take nothing"),
        (#""answer": "index.byProject""#, "read a group of the index, as index.byProject(string)"),
        (
            #""answer": "index.byProject('a').only()""#,
            "index.byProject is not unique, so only is not defined: write first()"
        ),
        (#""answer": "index.byOwner('a').from('b')""#, "index.byOwner has no sort, so from is not defined"),
        (#""answer": "index.byProject('a').from('b')""#, "from of index.byProject takes int, not string"),
        (#""answer": "index.byProject('a').limit('b')""#, "limit takes an int, not string"),
        (#""answer": "index.byProject('a').first().orderr""#, "there is no member 'orderr'; did you mean order?"),
        (#""answer": "state.tasks.first()""#, "first is a method of the rows of an index"),
    ])
    func `a wrong use is refused when the document is put`(_ answer: String, _ words: String) throws {
        let text = Self.document.replacing(
            #""clear": {"do": [{"clear": "tasks"}]}"#, with: #""clear": {"do": [{"clear": "tasks"}], \#(answer)}"#)
        let found = faults(try parse(text))
        #expect(found.count == 1 && found[0].contains("/actions/clear/answer: \(words)"), "\(found)")
    }

    @Test(arguments: [
        (#"{"by": ["row.projekt"]}"#, "/by/0: there is no member 'projekt'; did you mean project?"),
        (#"{"by": ["state.log"]}"#, "/by/0: unknown name 'state'"),
        (#"{"by": ["[row.project]"]}"#, "/by/0: by takes a string, an int, a bool or null, not list<string>"),
        (#"{"by": ["1", "2", "3", "4", "5"]}"#, "/by: by has 5 elements; the limit is 4"),
        (#"{"sort": ["[1]"]}"#, "/sort/0: sort cannot order list<int>"),
        (#"{"where": "row.order"}"#, "/where: the result has another type"),
        (#"{"by": ["key"], "uniqe": true}"#, "/uniqe: there is no member \"uniqe\"; did you mean unique?"),
        (#"{}"#, ": an index has by, sort, where or search"),
        (#"7"#, ": the index byOwner must be an object, not a number"),
    ])
    func `a faulty index is refused with its place`(_ index: String, _ words: String) throws {
        let text = Self.document.replacing(#""byOwner": {"by": ["row.owner"]}"#, with: #""byOwner": \#(index)"#)
        let found = faults(try parse(text))
        #expect(found.contains { $0.contains("/state/tasks/indexes/byOwner\(words)") }, "\(found)")
    }

    @Test func `initial rows satisfy a unique index`() throws {
        let found = try faults(
            parse(
                #"""
                {"feature": "x", "home": "space", "state": {"t": {
                  "table": {"key": {"type": "string"}, "row": {"type": "integer"}}, "initial": {"a": 1, "b": 2, "c": 1},
                  "indexes": {"one": {"by": ["row"], "unique": true}}}}}
                """#))
        #expect(
            found == [#"/state/t/initial/c: the row has the values of the row "a" in the unique index one"#], "\(found)"
        )
    }

    @Test func `names of let hide the name index`() throws {
        let text = Self.document.replacing(
            #""clear": {"do": [{"clear": "tasks"}]}"#,
            with:
                #""clear": {"let": [{"name": "index", "is": "{'byProject': 5}"}], "do": [], "answer": "index.byProject"}"#
        )
        #expect(try DocumentServer(parse(text)).act("x/clear") == 5)
    }

    /// Law DOC3, law DOC21: an action on a table of any size takes as many steps.
    @Test func `an action that reads an index takes no more steps at 20000 rows`() throws {
        let text = Self.document.replacing(
            #""clear": {"do": [{"clear": "tasks"}]}"#,
            with:
                #""clear": {"input": {"type": "object", "properties": {"from": {"type": "integer"}}, "required": ["from"]}, "do": [{"each": "lists.range(2500)", "as": "i", "do": [{"put": "tasks", "key": "string(input.from + i)", "row": "{'order': input.from + i}"}]}]}"#
        )
        let server = try DocumentServer(parse(text))
        for part in 0..<8 { try server.act("x/clear", ["from": .number(Decimal(part * 2500))]) }
        #expect(try server.act("x/addLast", ["id": "next", "project": "p"]) == 20_001)
        #expect(try server.view("x.next") == .null)
    }
}
