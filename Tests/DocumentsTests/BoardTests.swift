import Hosting
import JSON
import StateStore
import Testing

@testable import Documents

/// The board of the documentation: the whole way from its text to actions and views.
struct BoardTests {
    static let board = #"""
        {
          "feature": "board", "home": "space",
          "types": {"Card": {"type": "object", "properties": {
            "text": {"type": "string", "minLength": 1, "maxLength": 200}, "votes": {"type": "integer", "default": 0},
            "due": {"type": ["string", "null"], "format": "date-time", "default": null}}, "required": ["text"]}},
          "state": {
            "topic": {"value": {"type": "string", "maxLength": 80}, "initial": "Untitled"},
            "cards": {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Card"}}}},
          "actions": {
            "rename": {"input": {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]},
              "do": [{"set": "topic", "to": "input.topic"}]},
            "add": {
              "input": {"type": "object", "properties": {
                "id": {"type": "string"}, "text": {"type": "string", "minLength": 1}}, "required": ["id", "text"]},
              "require": [{"that": "!(input.id in state.cards)",
                "else": {"status": 409, "detail": "card {input.id} exists already", "pointer": "/id"}}],
              "do": [{"put": "cards", "key": "input.id", "row": "{'text': input.text}"}]},
            "vote": {
              "input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
              "require": [{"that": "input.id in state.cards",
                "else": {"detail": "there is no card {input.id}", "pointer": "/id"}}],
              "do": [{"update": "cards", "key": "input.id", "with": "{'votes': row.votes + 1}"}],
              "answer": "state.cards[input.id].votes"},
            "expire": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
              "do": [{"remove": "cards", "key": "input.id"}]},
            "sweep": {"do": [
              {"each": "state.cards.filter(k, state.cards[k].votes == 0)", "as": "id", "do": [
                {"remove": "cards", "key": "id"}]}]},
            "clear": {"do": [{"clear": "cards"}]}},
          "views": {
            "topic": {"expression": "state.topic"},
            "count": {"expression": "size(state.cards)"},
            "votes": {"from": "cards", "sum": "row.votes"},
            "most": {"from": "cards", "max": "row.votes"},
            "mean": {"from": "cards", "average": "row.votes"},
            "byVotes": {"from": "cards", "count": true, "by": "row.votes"},
            "top": {"from": "cards", "where": "row.votes > 0", "sort": ["-row.votes", "key"], "limit": 10,
              "select": "{'id': key, 'text': row.text, 'votes': row.votes}"},
            "all": {"from": "cards"},
            "titled": {"from": "cards", "select": "state.topic + ': ' + row.text"},
            "summary": {"expression": "string(views.count) + ' cards, ' + string(views.votes) + ' votes'"},
            "card": {"parameters": {"id": {"type": "string"}},
              "expression": "input.id in state.cards ? state.cards[input.id] : null"}},
          "tests": [
            {"name": "a card is added once", "steps": [
              {"act": "add", "input": {"id": "a", "text": "x"}},
              {"act": "add", "input": {"id": "a", "text": "y"}, "refused": {"status": 409, "pointer": "/id"}},
              {"after": 6}, {"expect": {"board.count": 1, "votes": 0}}]},
            {"name": "a vote is answered", "steps": [
              {"act": "add", "input": {"id": "a", "text": "x"}},
              {"act": "vote", "input": {"id": "a"}, "answer": 1},
              {"expect": {"board.card?id=a": {"text": "x", "votes": 1, "due": null}}}]}]
        }
        """#

    @Test func `actions change the state that views show`() throws {
        let server = try DocumentServer(parse(Self.board))
        #expect(try server.view("board.count") == 0)
        try server.act("board/add", ["id": "a", "text": "x"])
        try server.act("board/add", ["id": "b", "text": "y"])
        #expect(try server.act("board/vote", ["id": "b"]) == 1)
        #expect(try server.act("board/vote", ["id": "b"]) == 2)
        #expect(try server.view("board.count") == 2)
        #expect(try server.view("board.votes") == 2)
        #expect(try server.view("board.most") == 2)
        #expect(try server.view("board.mean") == 1)
        #expect(try server.view("board.byVotes") == ["0": 1, "2": 1])
        #expect(try server.view("board.top") == [["id": "b", "text": "y", "votes": 2]])
        #expect(
            try server.view("board.all") == [
                ["key": "a", "row": ["text": "x", "votes": 0, "due": nil]],
                ["key": "b", "row": ["text": "y", "votes": 2, "due": nil]],
            ])
        #expect(try server.view("board.card?id=b") == ["text": "y", "votes": 2, "due": nil])
        #expect(try server.view("board.card?id=c") == nil)
        #expect(try server.view("board.summary") == "2 cards, 2 votes")
        try server.act("board/rename", ["topic": "T"])
        #expect(try server.view("board.titled") == ["T: x", "T: y"])
        try server.act("board/sweep")
        #expect(try server.view("board.count") == 1)
        try server.act("board/clear")
        #expect(try server.view("board.mean") == nil)
        #expect(try server.view("board.votes") == 0)
        // Another space has a state of its own.
        #expect(try server.view("board.topic", in: "other") == "Untitled")
    }

    @Test func `a refused action changes nothing and says why`() throws {
        let server = try DocumentServer(parse(Self.board))
        try server.act("board/add", ["id": "a", "text": "x"])
        let twice = server.refusal("board/add", ["id": "a", "text": "y"])
        #expect(twice == .conflict("card a exists already", at: "id"))
        #expect(server.refusal("board/vote", ["id": "z"]) == .conflict("there is no card z", at: "id"))
        let long = server.refusal("board/rename", ["topic": .string(String(repeating: "x", count: 81))])
        #expect(long?.kind == .invalid)
        #expect(long?.pointer == JSONPointer(["topic"]))
        #expect(server.refusal("board/add", ["id": "b"])?.pointer == JSONPointer(["text"]))
        #expect(server.refusal("board/add", ["id": "b", "text": "y", "more": 1])?.allowed == ["id", "text"])
        #expect(try server.view("board.count") == 1)
        #expect(try server.view("board.topic") == "Untitled")
    }

    @Test func `tests of a document run in virtual time`() throws {
        let features = try compile(["board": parse(Self.board)])
        let tests = FeatureCompiler().test(features, of: "board", beside: try Registry([])) { true }
        #expect(tests.failed.map(\.detail) == [])
        #expect(tests.passed == 2)
    }

    @Test func `a failed test says which step and why`() throws {
        let wrong = Self.board.replacing("\"votes\": 0}}]}", with: "\"votes\": 3}}]}")
        let features = try compile(["board": parse(wrong)])
        let tests = FeatureCompiler().test(features, of: "board", beside: try Registry([])) { true }
        #expect(tests.passed == 1)
        #expect(tests.failed.map(\.detail) == ["board.votes is 0, not 3"])
        #expect(tests.failed.map { "\($0.pointer)" } == ["/tests/0/steps/3/expect/votes"])
    }
}
