import JSON
import StateStore
import Testing

@testable import Documents

/// Law DOC3: an action of a document is all or nothing, and bounded.
struct ActionTests {
    private static func document(_ actions: String, state: String = "") -> String {
        #"""
        {"feature": "x", "home": "space", "state": {
           "n": {"value": {"type": "integer"}, "initial": 0},
           "t": {"table": {"key": {"type": "string", "maxLength": 5}, "row": {}}}\#(state)},
         "actions": {\#(actions)}, "views": {"n": {"expression": "state.n"}, "size": {"expression": "size(state.t)"}}}
        """#
    }

    @Test func `each step sees what the steps before it wrote`() throws {
        let server = try DocumentServer(
            parse(
                Self.document(
                    #"""
                    "a": {"let": [{"name": "before", "is": "size(state.t)"}], "do": [
                      {"put": "t", "key": "'a'", "row": "1"}, {"set": "n", "to": "state.n + size(state.t)"},
                      {"put": "t", "key": "'b'", "row": "state.t.map(k, k)"}, {"remove": "t", "key": "'a'"},
                      {"set": "n", "to": "state.n * 10 + size(state.t)"}],
                      "answer": "[before, size(state.t), state.n]"}
                    """#)))
        #expect(try server.act("x/a") == [0, 1, 11])
        #expect(try server.act("x/a") == [1, 1, 131])
        #expect(try server.view("x.n") == 131)
    }

    @Test func `a failure in the middle changes nothing`() throws {
        let server = try DocumentServer(
            parse(
                Self.document(
                    #"""
                    "a": {"input": {"type": "object", "properties": {"by": {"type": "integer"}}, "required": ["by"]},
                      "do": [{"set": "n", "to": "5"}, {"put": "t", "key": "'a'", "row": "1"},
                        {"set": "n", "to": "10 / input.by"}]},
                    "long": {"do": [{"set": "n", "to": "6"}, {"put": "t", "key": "'abcdef'", "row": "1"}]}
                    """#)))
        let refusal = server.refusal("x/a", ["by": 0])
        #expect(refusal?.kind == .invalid)
        #expect(refusal?.description.contains("/actions/a/do/2/to") == true, "\(String(describing: refusal))")
        #expect(server.refusal("x/long")?.pointer == JSONPointer(["t"]))
        #expect(try server.view("x.n") == 0)
        #expect(try server.view("x.size") == 0)
        try server.act("x/a", ["by": 2])
        #expect(try server.view("x.n") == 5)
    }

    @Test(arguments: [
        (
            #""a": {"do": [{"each": "'x'.split('')", "as": "i", "do": []}, {"each": "[1,2,3,4,5,6,7,8,9,10]", "as": "a", "do": [{"each": "[1,2,3,4,5,6,7,8,9,10]", "as": "b", "do": [{"each": "[1,2,3,4,5,6,7,8,9,10]", "as": "c", "do": [{"each": "[1,2,3,4,5,6,7,8,9,10]", "as": "d", "do": [{"each": "[1,2]", "as": "e", "do": []}]}]}]}]}]}"#,
            "more than 10000 rounds"
        ),
        (
            #""a": {"do": [{"each": "[1,2,3,4,5,6,7,8,9,10]", "as": "a", "do": [{"each": "[1,2,3,4,5,6,7,8,9,10]", "as": "b", "do": [{"set": "n", "to": "size([1,2,3,4,5,6,7,8,9,10].map(x, [1,2,3,4,5,6,7,8,9,10].map(y, [1,2,3,4,5,6,7,8,9,10].map(z, x * y * z))))"}]}]}]}"#,
            "more than 100000 steps"
        ),
        (
            #""a": {"do": [{"put": "t", "key": "'a'", "row": "'0123456789'"}, {"each": "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]", "as": "i", "do": [{"put": "t", "key": "'a'", "row": "string(state.t['a']) + string(state.t['a'])"}]}, {"each": "[1,2,3,4,5,6,7,8,9,10,11,12]", "as": "i", "do": [{"put": "t", "key": "string(i)", "row": "state.t['a']"}]}]}"#,
            "writes more than 4194304 bytes"
        ),
    ])
    func `an action is bounded`(_ action: String, _ words: String) throws {
        let server = try DocumentServer(parse(Self.document(action)))
        let refusal = server.refusal("x/a")
        #expect(refusal?.kind == .invalid)
        #expect(refusal?.description.contains(words) == true, "\(String(describing: refusal))")
        #expect(try server.view("x.size") == 0)
    }

    @Test func `times and identifiers are those of the commit`() throws {
        let server = try DocumentServer(
            parse(
                Self.document(
                    #"""
                    "a": {"let": [{"name": "one", "is": "newId()"}, {"name": "other", "is": "newId()"}],
                      "do": [{"put": "t", "key": "'a'", "row": "now"}],
                      "answer": "[one != other, size(one), string(now), now - timestamp(state.t['a']) == duration('0s')]"}
                    """#)))
        #expect(try server.act("x/a") == [true, 26, "2026-01-01T00:00:00Z", true])
    }

    @Test func `a caller is known by the subject of its token`() throws {
        let server = try DocumentServer(
            parse(
                Self.document(
                    #"""
                    "a": {"require": [{"that": "token.sub != ''", "else": {"status": 403, "detail": "who are you?"}}],
                      "do": [], "answer": "token.sub"}
                    """#)))
        #expect(server.refusal("x/a")?.kind == .forbidden)
        #expect(try server.act("x/a", by: "ada") == "ada")
    }
}
