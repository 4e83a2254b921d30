import Foundation
import Ground
import JSON
import ScriptedDocuments
import ServiceInProcess
import Testing

@testable import HeadwaterServer

/// Features as documents, over HTTP. The documents are those of a scripted compiler.
@Suite struct FeatureRequestTests {
    private let service: ServiceInProcess

    init() throws {
        service = try ServiceInProcess(documents: ScriptedCompiler())
    }

    private func put(_ name: String, _ document: String, _ fields: [String: String] = [:]) throws -> Reply {
        try service.ask("PUT /v1/features/\(name)", fields, document)
    }

    @Test func `a document that is put is a feature, with paths, an entry in the index and in the contract`() throws {
        #expect(try service.ask("GET /v1/spaces/a/counter/total").status == 404)
        let reply = try put("counter", #"{"label":"one"}"#)
        #expect(reply.status == 201 && reply.body == #"{"feature":"counter","version":1}"#)
        let acted = try service.ask("POST /v1/spaces/a/counter/add?view=counter.total", [:], #"{"by":3}"#)
        #expect(acted.status == 200)
        #expect(try acted.json["views"] == ["counter.total": 3] && acted.json["result"] == 3)
        #expect(try service.ask("GET /v1/spaces/a/counter/total").body == "3")
        #expect(try service.ask("GET /v1/spaces/a/counter/larger?than=2").body == "true")
        #expect(try service.ask("GET /v1/spaces/a/counter/larger").status == 422)
        #expect(try service.ask("GET /v1/spaces/a/views").json["counter.label"] == "one")
        #expect(try service.ask("GET /v1").body.contains(#""path":"/v1/spaces/{space}/counter/add""#))
        #expect(try service.ask("GET /openapi.yaml").body.contains("/v1/spaces/{space}/counter/add"))
        #expect(try service.ask("GET /v1/spaces/a/graph").body.contains("variable/counter.total"))
        #expect(try service.ask("GET /v1/spaces/a/counter/total/why").body.contains("counter/add"))
        #expect(try service.ask("GET /v1/spaces/a/changes").body.contains(#""changed":{"counter.total":3}"#))
        #expect(try service.ask("GET /metrics").body.contains(#"feature="counter",action="add""#))
        #expect(try service.ask("GET /v1/spaces/common/changes").body.contains(#""action":"features/put""#))
    }

    @Test func `a replaced document is there at once, also on a connection that knew the old one`() throws {
        _ = try put("counter", #"{"label":"one"}"#)
        let path = "/v1/spaces/a/counter/label"
        // Three requests on one connection, whose route the server remembers from the first.
        func message(_ line: String, _ body: String = "") -> [UInt8] {
            let type = body.isEmpty ? "" : "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
            return Array("\(line) HTTP/1.1\r\nHost: localhost\r\n\(type)\r\n\(body)".utf8)
        }
        let answer = try service.answer(to: [
            message("GET \(path)"), message("GET \(path)"),
            message("PUT /v1/features/counter", #"{"label":"two"}"#), message("GET \(path)"),
            message("DELETE /v1/features/counter?state=drop"), message("GET \(path)"),
        ])
        let text = String(decoding: answer, as: UTF8.self)
        // A body ends without a line end, so a status can stand behind it.
        let lines = text.matches(of: /HTTP\/1\.1 (\d+)/).map { String($0.1) }
        #expect(lines == ["200", "200", "200", "200", "204", "404"])
        #expect(text.components(separatedBy: "\"one\"").count == 3 && text.contains("\"two\""))
    }

    @Test func `a document is read back with its tag, which conditions compare`() throws {
        let document = #"{"label":"one"}"#
        let tag = try #require(try put("counter", document)["etag"])
        let read = try service.ask("GET /v1/features/counter")
        #expect(read.body == document && read["etag"] == tag)
        #expect(try service.ask("GET /v1/features/counter", ["If-None-Match": tag]).status == 304)
        #expect(try put("counter", #"{"label":"x"}"#, ["If-None-Match": "*"]).status == 412)
        #expect(try put("counter", #"{"label":"x"}"#, ["If-Match": "\"0-x\""]).status == 412)
        let second = try put("counter", #"{"label":"two"}"#, ["If-Match": tag])
        #expect(second.status == 200)
        let stale = try put("counter", #"{"label":"x"}"#, ["If-Match": tag])
        #expect(stale.status == 412 && stale["etag"] == second["etag"])
        #expect(try service.ask("DELETE /v1/features/counter?state=drop", ["If-Match": tag]).status == 412)
        #expect(try put("other", "{}", ["If-Match": "*"]).status == 412)
        #expect(try put("other", "{}", ["If-None-Match": "*"]).status == 201)
        // The same document again makes no commit.
        #expect(try put("counter", #"{"label":"two"}"#).json["version"] == 3)
    }

    @Test func `the list has the features of the program and the documents`() throws {
        _ = try put("counter", #"{"home":"common"}"#)
        let list = try service.ask("GET /v1/features")
        guard case .array(let features)? = try list.json["features"] else {
            Issue.record("no list: \(list)")
            return
        }
        #expect(features.contains { $0["name"] == "cart" && $0["form"] == "swift" && $0["home"] == "space" })
        #expect(features.contains { $0["name"] == "counter" && $0["form"] == "document" && $0["home"] == "common" })
        #expect(!features.contains { $0["name"] == "features" || $0["name"] == "hooks" })
        #expect(try service.ask("GET /v1/features/hooks").status == 404)
        let tag = try #require(list["etag"])
        #expect(try service.ask("GET /v1/features", ["If-None-Match": tag]).status == 304)
        let cart = try service.ask("GET /v1/features/cart").json
        #expect(cart["form"] == "swift" && cart["actions"] != nil)
        #expect(try service.ask("GET /v1/features/nothing").status == 404)
    }

    @Test func `all faults of a document come at once`() throws {
        let text = #"{"fault":"a","given":"nothing"}"#
        let reply = try put("counter", text)
        #expect(reply.status == 422)
        let json = try reply.json
        #expect(json["type"] == "/problems/invalid" && json["pointer"] == "/fault")
        #expect(
            json["errors"] == [
                [
                    "pointer": "/fault", "detail": "a", "allowed": ["none"], "line": 1, "column": 10,
                    "text": .string(text),
                ],
                [
                    "pointer": "/given", "detail": "there is no feature nothing", "line": 1, "column": 22,
                    "text": .string(text),
                ],
            ])
        let failing = try put("counter", #"{"failing":true}"#)
        #expect(try failing.status == 422 && failing.json["pointer"] == "/tests/0/steps/1")
        #expect(try service.ask("GET /v1/features/counter").status == 404)
        #expect(try put("cart", "{}").status == 409)
        #expect(try put("streams", "{}").status == 409)
        #expect(try put("counter", #"{"feature":"other"}"#).json["pointer"] == "/feature")
        #expect(try put("counter", #"{"feature":"other"}"#).json["errors"]?[0]?["pointer"] == "/feature")
        let named = try service.ask("PUT /v1/features", [:], #"{"a":{},"b":[]}"#).json
        #expect(named["errors"]?[0]?["pointer"] == "/b" && named["pointer"] == "/b")
        #expect(try put("counter", #"{"given":"hooks"}"#).json["pointer"] == "/given")
        #expect(try put("counter", #"{"given":"features"}"#).json["pointer"] == "/given")
        #expect(try put("1x", "{}").status == 422)
        #expect(try put("counter", "[]").status == 422)
        #expect(try put("counter", "{").status == 400)
        #expect(try put("counter", "{}", ["Content-Type": "text/plain"]).status == 415)
        #expect(try service.ask("POST /v1/features/counter", [:], "{}")["allow"]?.contains("PUT") == true)
    }

    @Test func `several documents are put together or not at all`() throws {
        let faulty = try service.ask("PUT /v1/features", [:], #"{"a":{},"b":{"fault":"x"}}"#)
        #expect(try faulty.status == 422 && faulty.json["pointer"] == "/b/fault")
        #expect(try service.ask("GET /v1/features/a").status == 404)
        let both = try service.ask("PUT /v1/features", [:], #"{"a":{"given":"b"},"b":{}}"#)
        #expect(both.status == 201)
        #expect(both.body == #"{"features":[{"feature":"a","version":1},{"feature":"b","version":1}]}"#)
        let circle = try service.ask("PUT /v1/features", [:], #"{"b":{"given":"a"}}"#)
        #expect(circle.status == 422)
        let taken = try service.ask("PUT /v1/features", [:], #"{"cart":{}}"#)
        #expect(try taken.status == 409 && taken.json["pointer"] == "/cart")
        let used = try service.ask("DELETE /v1/features/b?state=drop")
        #expect(try used.status == 409 && used.json["detail"] == "b is given to a: change or remove these first")
    }

    @Test func `the faults of several documents come at once`() throws {
        let body = #"{"a":{"fault":"x"},"b":[],"1c":{},"d":{"feature":"e"},"f":{"given":"none"},"g":{}}"#
        let json = try service.ask("PUT /v1/features", [:], body).json
        guard case .array(let errors)? = json["errors"] else { return #expect(Bool(false), "\(json)") }
        #expect(errors.map { $0["pointer"] } == ["/1c", "/a/fault", "/b", "/d/feature", "/f/given"], "\(json)")
        #expect(errors[3]["allowed"] == ["d"])
        #expect(try service.ask("GET /v1/features/g").status == 404)
    }

    @Test func `a request that changes a feature has the parameters of its method only`() throws {
        _ = try put("counter", "{}")
        for query in ["stat=drop", "view=a"] {
            let reply = try service.ask("DELETE /v1/features/counter?\(query)")
            #expect(try reply.status == 422 && reply.json["allowed"] == ["state"], "\(query)")
        }
        for query in ["stat=drop", "state=drop"] {
            let reply = try service.ask("PUT /v1/features/counter?\(query)", [:], "{}")
            #expect(try reply.status == 422 && reply.json["allowed"] == ["rehearse"], "\(query)")
        }
        let read = try service.ask("GET /v1/features/counter?stat=drop")
        #expect(
            try read.status == 422 && read.json["allowed"] == ["access_token", "at", "rehearse", "state", "ticket"])
        #expect(try service.ask("DELETE /v1/features/counter?_=1&state=drop").status == 204)
    }

    @Test func `a feature with state is removed only with it`() throws {
        _ = try put("counter", "{}")
        _ = try service.ask("POST /v1/spaces/a/counter/add", [:], #"{"by":3}"#)
        #expect(try service.ask("DELETE /v1/features/counter").status == 409)
        #expect(try service.ask("DELETE /v1/features/counter?state=keep").status == 422)
        #expect(try service.ask("DELETE /v1/features/counter?state=drop").status == 204)
        #expect(try service.ask("DELETE /v1/features/counter?state=drop").status == 404)
        #expect(try service.ask("DELETE /v1/features/cart").status == 409)
        #expect(try service.ask("GET /v1/spaces/a/counter/total").status == 404)
        _ = try put("counter", "{}")
        #expect(try service.ask("GET /v1/spaces/a/counter/total").body == "0")
        #expect(
            try service.ask("POST /v1/spaces/a/counter/add", [:], #"{"by":1}"#).json["changed"] == ["counter.total"])
        // Names of an earlier feature's state do not show in what clients read.
        #expect(try !service.ask("GET /v1/spaces/a/changes").body.contains("~"))
        #expect(try !service.ask("GET /v1/spaces/a/counter/total/why").body.contains("~"))
    }

    // Law DEPLOY4
    @Test func `a variable at its initial value is not migrated, also in a feature that was dropped before`() throws {
        for _ in 0..<2 {
            _ = try put("counter", "{}")
            #expect(try service.ask("GET /v1/spaces/a/counter/total").body == "0")
            let reply = try put("counter", #"{"kind":"string","state":{"total":{"migrate":-1}}}"#)
            #expect(reply.status == 200, "\(reply)")
            #expect(try service.ask("GET /v1/spaces/a/counter/total").body == "\"\"")
            #expect(try service.ask("DELETE /v1/features/counter?state=drop").status == 204)
        }
    }

    @Test func `a kept total that a new schema may not permit refuses the document`() throws {
        _ = try put("counter", "{}")
        let reply = try put("counter", #"{"kind":"string"}"#)
        #expect(try reply.status == 422 && reply.json["pointer"] == "/state/total")
    }

    @Test func `only a token for common with the right admin changes features`() throws {
        let tokens = [("reader", "read *"), ("boss", "admin *"), ("some", "admin a-*")].map { token, rights in
            let digest = SHA256.digest(token.utf8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            return digest.joined() + " \(rights)\n"
        }.joined()
        let service = try ServiceInProcess(tokenFile: tokens, documents: ScriptedCompiler())
        func ask(_ line: String, _ token: String, _ body: String = "") throws -> Int {
            try service.ask(line, ["Authorization": "Bearer \(token)"], body).status
        }
        #expect(try ask("PUT /v1/features/counter", "reader", "{}") == 403)
        #expect(try ask("PUT /v1/features/counter", "some", "{}") == 403)
        #expect(try ask("PUT /v1/features/counter", "boss", "{}") == 201)
        #expect(try ask("GET /v1/features", "reader") == 200)
        #expect(try ask("GET /v1/features/counter", "reader") == 403)
        #expect(try ask("DELETE /v1/features/counter?state=drop", "reader") == 403)
        #expect(try ask("POST /v1/features:test", "reader", "{}") == 403)
        #expect(try service.ask("GET /v1/features").status == 401)
        #expect(try ask("POST /v1/spaces/common/features/put", "boss", "{}") == 404)
    }

    @Test func `a document is tested without being taken`() throws {
        let good = try service.ask("POST /v1/features:test", [:], #"{"feature":"counter"}"#)
        #expect(good.status == 200 && good.body == #"{"passed":1,"failed":[]}"#)
        let failing = try service.ask("POST /v1/features:test", [:], #"{"failing":true,"feature":"counter"}"#)
        #expect(try failing.status == 200 && failing.json["failed"]?[0]?["pointer"] == "/tests/0/steps/1")
        #expect(try service.ask("POST /v1/features:test", [:], #"{"fault":"x"}"#).status == 422)
        #expect(try service.ask("GET /v1/features/counter").status == 404)
    }

    @Test func `a past view has the definition of its version`() throws {
        _ = try put("counter", #"{"label":"one"}"#)
        _ = try service.ask("POST /v1/spaces/a/counter/add", [:], #"{"by":3}"#)
        _ = try put("counter", #"{"label":"two"}"#)
        #expect(try service.ask("GET /v1/spaces/a/counter/label").body == "\"two\"")
        #expect(try service.ask("GET /v1/spaces/a/counter/label?at=1.1").body == "\"one\"")
        #expect(try service.ask("GET /v1/spaces/a/counter/label?at=1.2").body == "\"two\"")
        let history = try service.ask("GET /v1/spaces/a/counter/label/history").body
        #expect(history.contains("\"one\"") && history.contains("\"two\""))
    }
}
