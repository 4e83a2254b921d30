import Hosting
import JSON
import StateStore
import Testing

@testable import Documents

/// Tests of documents with people: claims, personal views, refusals of views, and steps that tests share.
@Suite struct PeopleTests {
    private static func document(_ tests: String, fixtures: String = "{}") -> String {
        #"""
        {"feature": "notes", "home": "space",
          "state": {"notes": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
            "by": {"type": "string"}, "text": {"type": "string"}}}}}},
          "actions": {"write": {"input": {"type": "object", "properties": {"text": {"type": "string"}},
              "required": ["text"]}, "allow": "token.sub != ''",
            "do": [{"put": "notes", "key": "newId()", "row": "{'by': token.sub, 'text': input.text}"}]}},
          "views": {"mine": {"from": "notes", "where": "row.by == token.sub", "select": "row.text"},
            "count": {"expression": "size(state.notes)", "allow": "token.sub == 'admin'"},
            "all": {"from": "notes", "select": "row.text"}},
          "allow": {"read": "token.sub != 'mallory'"},
          "fixtures": \#(fixtures), "tests": \#(tests)}
        """#
    }

    private func failures(_ steps: String, fixtures: String = "{}") throws -> [String] {
        let json = try parse(Self.document(#"[{"name": "t", "steps": [\#(steps)]}]"#, fixtures: fixtures))
        let features = try compile(["notes": json])
        return FeatureCompiler().test(features, of: "notes", beside: try Registry([])) { true }
            .failed.map { "\($0.pointer): \($0.detail)" }
    }

    private static let crowd = #"""
        {"crowd": {"steps": [{"act": "write", "input": {"text": "x"}, "token": {"sub": "ada"}},
          {"act": "write", "input": {"text": "y"}, "token": {"sub": "bob"}}]}}
        """#

    // Law DOC13
    @Test func `a personal view is read with claims, and rules hold for views`() throws {
        #expect(
            try failures(
                #"""
                {"use": "crowd"}, {"expect": {"mine": ["x"]}, "token": {"sub": "ada"}},
                {"expect": {"mine": ["y"], "count": {"refused": {"status": 403, "rule": "/views/count/allow"}}},
                  "token": {"sub": "bob"}},
                {"expect": {"all": {"refused": {"rule": "/allow/read"}}}, "token": {"sub": "mallory"}},
                {"expect": {"count": 2}, "token": {"sub": "admin"}}, {"expect": {"count": 2}},
                {"act": "write", "input": {"text": "z"}, "token": {"sub": ""},
                  "refused": {"status": 403, "rule": "/actions/write/allow"}}
                """#, fixtures: Self.crowd) == [])
    }

    @Test(arguments: [
        (#"{"expect": {"mine": []}}"#, "/tests/0/steps/0: notes.mine depends on its reader"),
        (
            #"{"expect": {"count": 0}, "token": {"sub": "bob"}}"#,
            "/tests/0/steps/0/expect/count: notes.count cannot be read"
        ),
        (
            #"{"expect": {"count": {"refused": {"status": 403}}}, "token": {"sub": "admin"}}"#,
            "/tests/0/steps/0/expect/count: notes.count can be read and is 0; it is not refused"
        ),
        (
            #"{"expect": {"count": {"refused": {"rule": "/allow/read"}}}, "token": {"sub": "bob"}}"#,
            "/tests/0/steps/0/expect/count/refused/rule: the rule of the refusal is \"/views/count/allow\""
        ),
    ])
    func `an expectation that is not met says why`(_ step: String, _ words: String) throws {
        let failed = try failures(step)
        #expect(failed.count == 1 && failed.first?.hasPrefix(words) == true, "\(failed)")
    }

    @Test func `a fixture fails at its own place, and one that is not there is a fault`() throws {
        let failing = #"{"crowd": {"steps": [{"expect": {"count": 7}}]}}"#
        #expect(
            try failures(#"{"use": "crowd"}"#, fixtures: failing).first?.hasPrefix(
                "/fixtures/crowd/steps/0/expect/count") == true)
        let found = faults(
            try parse(
                Self.document(#"[{"name": "t", "steps": [{"use": "crowds"}, {"use": 1}]}]"#, fixtures: Self.crowd)))
        #expect(
            found.contains { $0.hasPrefix("/tests/0/steps/0/use: ") && $0.contains("did you mean crowd?") }, "\(found)")
        let nested = faults(
            try parse(Self.document("[]", fixtures: #"{"a": {"steps": [{"use": "a"}], "more": 1}, "b": {}}"#)))
        #expect(nested.count == 3, "\(nested)")
    }
}
