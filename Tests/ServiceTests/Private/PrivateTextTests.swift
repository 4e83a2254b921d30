import Hosting
import Documents
import JSON
import ServiceInProcess
import StateStore
import Testing

/// No text of a refusal or of a failure shows a value that was computed from private state.
@Suite struct PrivateTextTests {
    private static let document = #"""
        {"feature": "safe", "home": "space",
         "state": {
           "code": {"value": {"type": "string", "private": true}, "initial": "SECRET"},
           "list": {"value": {"type": "array", "items": {"type": "string"}}, "initial": ["a"]},
           "size": {"value": {"type": "integer"}, "initial": 0},
           "map": {"value": {"type": "object", "additionalProperties": {"type": "integer"}}, "initial": {}},
           "closed": {"value": {"type": "object", "properties": {"a": {"type": "integer"}}}, "initial": {}},
           "rows": {"table": {"key": {"type": "string", "maxLength": 3}, "row": {"type": "object", "properties": {
             "name": {"type": "string", "maxLength": 3}, "pin": {"type": "string", "private": true}}}}}},
         "actions": {
           "add": {"do": [{"put": "rows", "key": "'a'", "row": "{'name': 'Ada', 'pin': 'SECRET'}"}]},
           "computed": {"input": {"type": "object", "properties": {"which": {"type": "string"}}},
             "let": [{"name": "found", "is": "state[input.which]"}, {"name": "both", "is": "[found, found]"}],
             "require": [{"that": "false", "else": {"detail": "{found} {both} {state[input.which]} {state.code}"}}],
             "do": []},
           "row": {"let": [{"name": "one", "is": "state.rows['a']"}],
             "require": [{"that": "false", "else": {"detail": "{one.pin} {one}"}}], "do": []},
           "key": {"do": [{"put": "rows", "key": "state.code", "row": "{}"}]},
           "missing": {"do": [{"update": "rows", "key": "state.code.substring(0, 3)", "with": "{}"}]},
           "read": {"do": [{"set": "size", "to": "int(state.code)"}]},
           "readComputed": {"input": {"type": "object", "properties": {"which": {"type": "string"}}},
             "do": [{"set": "size", "to": "int(dyn(state[input.which]))"}]},
           "index": {"do": [{"set": "size", "to": "state.map[state.code]"}]},
           "column": {"do": [{"put": "rows", "key": "'b'", "row": "{'name': state.code}"}]},
           "value": {"do": [{"set": "size", "to": "dyn(state.code)"}]},
           "name": {"do": [{"set": "map", "to": "dyn({state.code: state.code})"}]},
           "member": {"do": [{"set": "closed", "to": "dyn({state.code: 1})"}]},
           "take": {"input": {"type": "object", "properties": {"a": {"type": "string", "maxLength": 3}}}, "do": []}},
         "views": {"size": {"expression": "state.size"}, "broken": {"expression": "int(dyn(state)['code'] + 'x')"}},
         "schedules": {"late": {"every": 60, "act": "take", "input": "dyn({'a': state.code, state.code: 1})"}}}
        """#

    // Law PRIV1
    @Test func `no refusal, failure or refused firing shows a private value`() throws {
        let service = try ServiceInProcess(documents: FeatureCompiler())
        let put = try service.ask("PUT /v1/features/safe", [:], Self.document)
        #expect(put.status == 201, "\(put.body)")
        #expect(try service.ask("POST /v1/spaces/main/safe/add", [:], "{}").status == 200)
        var refused = 0
        for action in [
            "computed", "row", "key", "missing", "read", "readComputed", "index", "column", "value", "name", "member",
        ] {
            let body = action.contains("omputed") ? #"{"which": "code"}"# : "{}"
            let reply = try service.ask("POST /v1/spaces/main/safe/\(action)", [:], body)
            if reply.status == 409 || reply.status == 422 { refused += 1 }
            #expect(!reply.body.uppercased().contains("SEC"), "\(action): \(reply.status) \(reply.body)")
        }
        #expect(refused == 11)
        let broken = try service.ask("GET /v1/spaces/main/safe/broken")
        #expect(broken.status >= 400 && !broken.body.contains("SECRET"), "\(broken.body)")
        service.advance(seconds: 180)
        let changes = try service.ask("GET /v1/spaces/main/changes").body
        #expect(changes.contains("schedules/refused") && changes.contains("/a"), "\(changes)")
        #expect(!changes.contains("SEC"), "\(changes)")
    }

    @Test func `a check warns of a text that withholds a private value`() throws {
        guard
            case .success(let feature)? = try FeatureCompiler().compile(
                ["safe": JSON(parsing: Array(Self.document.utf8))], beside: [:])["safe"]
        else { throw ServiceInProcess.NoAnswer() }
        #expect(
            feature.warnings.map { "\($0.pointer)" } == [
                "/actions/computed/require/0/else/detail", "/actions/row/require/0/else/detail",
            ])
        #expect(feature.faultsWhenPut.isEmpty)
    }
}
