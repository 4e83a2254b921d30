import Hosting
import Documents
import JSON
import ServiceInProcess
import StateStore
import Testing

/// Answers that could tell the size of a private member, or whether two are equal.
@Suite struct PrivateSizeTests {
    private static let document = #"""
        {"feature": "u", "home": "space", "state": {
           "list": {"value": {"type": "array", "uniqueItems": true, "items": {"type": "object", "properties":
             {"a": {"type": "string"}, "p": {"type": "string", "private": true}}}}, "initial": []},
           "t": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties":
             {"name": {"type": "string"}, "p": {"type": "string", "private": true}}, "required": ["name", "p"]}}},
           "n": {"value": {"type": "integer"}, "initial": 0}},
         "actions": {
           "add": {"input": {"type": "object", "properties": {"a": {"type": "string"},
             "p": {"type": "string", "private": true}}, "required": ["a", "p"]},
             "do": [{"set": "list", "to": "state.list + [{'a': input.a, 'p': input.p}]"}]},
           "put": {"input": {"type": "object", "properties": {"p": {"type": "string", "private": true}}, "required": ["p"]},
             "do": [{"put": "t", "key": "'a'", "row": "{'name': 'n', 'p': input.p}"}]},
           "rename": {"input": {"type": "object", "properties": {"keys": {"type": "array", "items": {"type": "string"}}},
             "required": ["keys"]}, "do": [{"each": "input.keys", "as": "k", "do": [
               {"update": "t", "key": "k", "with": "{'name': 'z'}"}]}]},
           "count": {"do": [{"set": "n", "to": "state.n + 1"}]}},
         "views": {"t": {"from": "t"}}}
        """#

    private static func service() throws -> ServiceInProcess {
        let service = try ServiceInProcess(documents: FeatureCompiler(), features: [])
        let reply = try service.ask("PUT /v1/features/u", [:], document)
        #expect(reply.status == 201, "\(reply.body)")
        return service
    }

    private static func act(_ service: ServiceInProcess, _ action: String, _ body: String = "{}") throws -> Reply {
        try service.ask("POST /v1/spaces/main/\(action)", [:], body)
    }

    // Law ID9
    @Test func `elements are compared without their private members`() throws {
        for secret in ["alpha", "beta"] {
            let service = try Self.service()
            #expect(try Self.act(service, "u/add", #"{"a": "x", "p": "\#(secret)"}"#).status == 200)
            let reply = try Self.act(service, "u/add", #"{"a": "x", "p": "alpha"}"#)
            #expect(reply.status == 422, "\(secret): \(reply.body)")
            #expect(try Self.act(service, "u/add", #"{"a": "y", "p": "alpha"}"#).status == 200)
        }
    }

    // Law ID9
    @Test func `the size of a private member shows in no limit`() throws {
        let keys = Array(repeating: #""a""#, count: 7_000).joined(separator: ",")
        for count in [1, 700_000] {
            let service = try Self.service()
            let row = #"{"p": "\#(String(repeating: "x", count: count))"}"#
            for _ in 0..<7 { #expect(try Self.act(service, "u/put", row).status == 200) }
            guard case .array(let page) = try service.ask("GET /v1/spaces/main/changes", [:]).json else {
                throw ServiceInProcess.NoAnswer()
            }
            #expect(page.count == 7)
            let renamed = try Self.act(service, "u/rename", #"{"keys": [\#(keys)]}"#)
            #expect(renamed.status == 200, "\(renamed.body)")
        }
    }

    // Laws PRIV1 and PAST5
    @Test func `a restore does not tell whether a private member was the same`() throws {
        func changes(_ second: String) throws -> JSON? {
            let service = try Self.service()
            for body in ["alpha", second] { _ = try Self.act(service, "u/put", #"{"p": "\#(body)"}"#) }
            #expect(try Self.act(service, "u/count").status == 200)
            #expect(try Self.act(service, "restore", #"{"version": 1}"#).status == 200)
            guard case .array(let commits) = try service.ask("GET /v1/spaces/main/changes", [:]).json else {
                return nil
            }
            return commits.last?["changed"]
        }
        let (same, other) = (try changes("alpha"), try changes("beta"))
        #expect(same != nil && same == other)
    }
}
