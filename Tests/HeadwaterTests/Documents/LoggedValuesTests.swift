import Foundation
import Glibc
import Testing

/// What the server writes to its log.
@Suite struct LoggedValuesTests {
    private static let document = #"""
        {"feature": "ward", "home": "space",
         "state": {
           "patients": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
             "name": {"type": "string"}, "number": {"type": "string", "minLength": 4, "private": true}},
             "required": ["name", "number"]}}},
           "code": {"value": {"type": "string", "private": true}, "initial": ""}},
         "actions": {
           "admit": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"},
               "number": {"type": "string", "private": true}}, "required": ["id", "name", "number"]},
             "require": [{"that": "!(input.id in state.patients)", "else": {"status": 409,
               "detail": "{input.number} {state.patients[input.id].number}"}}],
             "do": [{"put": "patients", "key": "input.id", "row": "{'name': input.name, 'number': input.number}"},
                    {"set": "code", "to": "input.number"}]},
           "count": {"input": {"type": "object", "properties": {"number": {"type": "string", "private": true}},
             "required": ["number"]}, "do": [{"set": "code", "to": "string(int(input.number))"}]},
           "break": {"do": [{"set": "code", "to": "string(int(state.code))"}]}},
         "views": {
           "all": {"from": "patients"}, "code": {"expression": "state.code"},
           "broken": {"expression": "int(state.code)"},
           "mapped": {"source": {"view": "ward.code"},
             "operators": [{"map": {"expression": "int(value)"}}]}}}
        """#

    @Test func `the log at its finest has no private value, no token and no input`() throws {
        let scratch = try Scratch()
        let log = scratch.path + "/log"
        let server = try Service(
            "--data", scratch.data, "--log-level", "debug", "--outgoing-allow", "127.0.0.1:1",
            shell: "exec 2>'\(log)'")
        #expect(try server.ask("PUT", "/v1/features/ward", Self.document).status == 201)
        let hook = #"{"url": "http://127.0.0.1:1/SECRET?key=SECRET", "secret": "SECRET-SECRET-SECRET"}"#
        _ = try server.ask("PUT", "/v1/spaces/main/hooks/h", hook)
        var statuses: Set<Int> = []
        let requests: [(String, String, String?)] = [
            ("POST", "ward/admit", #"{"id": "a", "name": "Ada", "number": "SECRET"}"#),
            ("POST", "ward/admit", #"{"id": "a", "name": "Ada", "number": "SECRET"}"#),
            ("POST", "ward/admit", #"{"id": "b", "name": "Ada", "number": {"SECRET": 1}}"#),
            ("POST", "ward/admit", #"{"id": "b", "name": "Ada", "number": "SECRET"#),
            ("POST", "ward/count", #"{"number": "SECRET"}"#), ("POST", "ward/break", "{}"),
            ("GET", "ward/broken", nil), ("GET", "ward/mapped", nil), ("GET", "ward/code", nil),
            ("GET", "ward/all?access_token=SECRET", nil), ("POST", "restore", #"{"version": 1}"#),
            ("POST", "erase", #"{"feature": "ward", "table": "patients", "key": "a"}"#),
            (
                "PUT", "streams/s",
                #"{"source": {"view": "ward.code"}, "operators": [{"map": {"expression": "int(value)"}}]}"#
            ),
            ("GET", "streams/s/value", nil), ("GET", "SECRET", nil),
        ]
        for (method, path, body) in requests {
            let fields = ["Authorization": "Bearer SECRET", "Idempotency-Key": "SECRET-\(statuses.count)"]
            statuses.insert(try server.ask(method, "/v1/spaces/main/\(path)", body, fields).status)
        }
        // Requests that succeeded, that were wrong, and that met a fault are among them.
        #expect(statuses.isSuperset(of: [200, 400, 409, 422]), "\(statuses)")
        _ = try server.raw("GET /SECRET HTTP/1.1\r\nHost: x\r\nCookie: SECRET\r\nSECRET\r\n\r\n")
        server.program.kill(SIGTERM)
        #expect(server.program.wait() == 0)
        let lines = try String(contentsOfFile: log, encoding: .utf8)
        #expect(lines.contains("info") && !lines.contains("SECRET"), "\(lines)")
    }

    @Test func `the log at its finest names the rule that refused, and the answer does not`() throws {
        let scratch = try Scratch()
        let log = scratch.path + "/log"
        let server = try Service("--memory", "--log-level", "debug", shell: "exec 2>'\(log)'")
        let document = #"""
            {"feature": "vault", "home": "space", "state": {"word": {"value": {"type": "string"}, "initial": ""}},
             "actions": {"fill": {"allow": "token.sub == 'ada'", "do": [{"set": "word", "to": "'x'"}]}},
             "views": {"word": {"expression": "state.word", "allow": "token.sub == 'ada'"}}}
            """#
        #expect(try server.ask("PUT", "/v1/features/vault", document).status == 201)
        for (method, path) in [("POST", "fill"), ("GET", "word")] {
            let answer = try server.ask(method, "/v1/spaces/main/vault/\(path)")
            #expect(answer.status == 403 && !answer.text.contains("allow\""), "\(answer.text)")
        }
        server.program.kill(SIGTERM)
        #expect(server.program.wait() == 0)
        let lines = try String(contentsOfFile: log, encoding: .utf8)
        #expect(lines.contains("rule=vault#/actions/fill/allow\n"), "\(lines)")
        #expect(lines.contains("rule=vault#/views/word/allow\n"), "\(lines)")
    }
}
