import Foundation
import Ground
import JSON
import Outgoing
import ScriptedOutside
import ServiceInProcess
import StateStore
import Testing

@testable import HeadwaterServer

/// Requests that put, list and remove hooks, and the secret that no answer has.
@Suite struct HookRequestTests {
    @Test(arguments: [
        (#"{"url": "U", "secret": "s"}"#, "/source"),
        (#"{"source": {}, "url": "U", "secret": "s"}"#, "/source"),
        (#"{"source": {"changes": ["*"], "view": "cart.totalPrice"}, "url": "U", "secret": "s"}"#, "/source"),
        (#"{"source": {"changes": []}, "url": "U", "secret": "s"}"#, "/source/changes"),
        (#"{"source": {"changes": ["cart/*", "cart"]}, "url": "U", "secret": "s"}"#, "/source/changes/1"),
        (#"{"source": {"changes": ["*/add"]}, "url": "U", "secret": "s"}"#, "/source/changes/0"),
        (#"{"source": {"change": ["*"]}, "url": "U", "secret": "s"}"#, "/source/change"),
        (#"{"source": {"view": "cart.nothing"}, "url": "U", "secret": "s"}"#, "/source/view"),
        (#"{"source": {"view": 7}, "url": "U", "secret": "s"}"#, "/source/view"),
        (#"{"source": {"changes": ["*"]}, "secret": "s"}"#, "/url"),
        (#"{"source": {"changes": ["*"]}, "url": 7, "secret": "s"}"#, "/url"),
        (#"{"source": {"changes": ["*"]}, "url": "U"}"#, "/secret"),
        (#"{"source": {"changes": ["*"]}, "url": "U", "secret": ""}"#, "/secret"),
        (#"{"source": {"changes": ["*"]}, "url": "U", "secret": "whsec_"}"#, "/secret"),
        (#"{"source": {"changes": ["*"]}, "url": "U", "secret": "whsec_a*b"}"#, "/secret"),
        (#"{"source": {"changes": ["*"]}, "url": "U", "secret": "s", "speed": 7}"#, "/speed"),
        (#"{"source": {"changes": ["*"]}, "url": "U", "secret": "s", "id": "b"}"#, "/id"),
        ("[]", ""),
    ])
    func `a faulty hook is refused with the place of the fault`(_ body: String, _ pointer: String) throws {
        let receiver = try HookReceiver()
        let reply = try receiver.service.ask(
            "PUT /v1/spaces/main/hooks/a", [:], body.replacingOccurrences(of: "\"U\"", with: "\"\(HookReceiver.url)\""))
        #expect(reply.status == 422, "\(reply)")
        #expect(try reply.json["pointer"] == .string(pointer), "\(reply)")
        #expect(try receiver.service.ask("GET /v1/spaces/main/hooks").body == #"{"hooks":[]}"#)
    }

    @Test(arguments: [
        "http://hooks.example:9001/", "http://hooks.example/", "https://hooks.example/", "http://other.example:9000/",
        "http://hooks.example.:9000/", "http://a@hooks.example:9000/", "http://hooks.example:9000@evil.example/",
        "http://evil.example\\\\@hooks.example:9000/", "http://hooks.example%2e:9000/", "http://hooks.example:9000#/",
        "http://hooks.example:09000x/", "http://hooks.example:/", "http://hooks.example:900000/",
        "ftp://hooks.example:9000/", "file:///etc/passwd", "gopher://hooks.example:9000/", "//hooks.example:9000/",
        "http://", "http:///x", "hooks.example:9000", "http://hooks.example:9000/ x",
        "http://hooks\\u0000.example:9000/",
        "http://h\u{F6}\u{F6}ks.example:9000/", "http://hooks.example:9000/\\r\\nX: y",
        "http://127.0.0.1:9000/", "http://127.1:9000/", "http://2130706433:9000/", "http://0x7f000001:9000/",
        "http://0x7f.1:9000/", "http://0177.0.0.1:9000/", "http://127.0.0.01:9000/", "http://0:9000/",
        "http://[::1]:9000/", "http://[::ffff:127.0.0.1]:9000/", "http://[::127.0.0.1]:9000/",
        "http://[fe80::1%25eth0]:9000/", "http://[::1:9000/", "http://::1:9000/", "http://[64:ff9b::7f00:1]:9000/",
        "http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://localhost:9000/",
        "http://hooks.example:9000.evil.example/", "http://\u{FF11}27.0.0.1:9000/",
    ])
    func `a URL of another host, or with two readings, is refused`(_ url: String) throws {
        let receiver = try HookReceiver()
        let reply = try receiver.put("a", url: url)
        #expect(try reply.status == 422 && reply.json["pointer"] == "/url", "\(reply)")
    }

    @Test func `a hook over a view that depends on its reader is refused at the view`() throws {
        let receiver = try HookReceiver(features: [
            Feature("vault", VaultState.init, VaultService.init) { VaultViewModel($0, RuleCount()) }
        ])
        let reply = try receiver.put("a", #"{"view": "vault.mine"}"#)
        #expect(try reply.status == 422 && reply.json["pointer"] == "/source/view", "\(reply)")
        #expect(try receiver.put("a", #"{"view": "vault.hall"}"#).status == 201)
    }

    @Test func `without allowed hosts no hook can be put, and the problem names the option`() throws {
        let service = try ServiceInProcess()
        let reply = try service.ask(
            "PUT /v1/spaces/main/hooks/a", [:],
            #"{"source": {"changes": ["*"]}, "url": "https://hooks.example.org/", "secret": "s"}"#)
        #expect(reply.status == 422 && reply.body.contains("--outgoing-allow"))
    }

    @Test(arguments: ["hooks.example", "HOOKS.example:9000", "hooks.example:9000,x.example", "x.example hooks.example"])
    func `a host is allowed with its port or with all, without regard to case`(_ entries: String) throws {
        var arguments: [String] = []
        for entry in entries.split(whereSeparator: { $0 == "," || $0 == " " }) {
            arguments += ["--outgoing-allow", String(entry)]
        }
        let service = try ServiceInProcess(arguments: arguments)
        let reply = try service.ask(
            "PUT /v1/spaces/main/hooks/a", [:],
            #"{"source": {"changes": ["*"]}, "url": "http://Hooks.Example:9000/In", "secret": "s"}"#)
        #expect(try reply.status == 201 && reply.json["url"] == "http://hooks.example:9000/In")
    }

    @Test(arguments: [
        "", "http://a.example", "a.example/", "a.example:0", "a.example:70000", "a..example", "*.example", "a.example.",
        "127.1", "[::1", "[fe80::1%1]:9", "a b", "::1",
    ])
    func `the command line refuses an entry that is no host`(_ entry: String) throws {
        #expect(throws: (any Error).self) { try ServiceInProcess(arguments: ["--outgoing-allow", entry]) }
    }

    @Test func `hooks are for tokens that may define in the space`() throws {
        func digest(_ text: String) -> String {
            SHA256.digest(text.utf8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        let receiver = try HookReceiver(
            tokenFile: [
                "\(digest("all")) admin main", "\(digest("some")) define main", "\(digest("one")) act main",
                "\(digest("other")) admin other",
            ].joined(separator: "\n"))
        func ask(_ line: String, _ token: String, _ body: String = "") throws -> Int {
            try receiver.service.ask(line, ["Authorization": "Bearer \(token)"], body).status
        }
        let body = #"{"source": {"changes": ["*"]}, "url": "\#(HookReceiver.url)", "secret": "s"}"#
        for token in ["one", "other"] {
            for line in [
                "PUT /v1/spaces/main/hooks/a", "GET /v1/spaces/main/hooks/a", "GET /v1/spaces/main/hooks",
                "DELETE /v1/spaces/main/hooks/a",
            ] {
                #expect(try ask(line, token, line.hasPrefix("PUT") ? body : "") == 403, "\(line) \(token)")
            }
        }
        for token in ["all", "some"] {
            #expect(try ask("PUT /v1/spaces/main/hooks/\(token)", token, body) == 201)
            #expect(try ask("PUT /v1/spaces/common/hooks/a", token, body) == 403)
            #expect(try ask("GET /v1/spaces/main/hooks", token) == 200)
        }
        #expect(try ask("DELETE /v1/spaces/main/hooks/all", "some") == 204)
    }

    @Test func `missing hooks are 404, ids that are none are refused, and a space has at most 20`() throws {
        let receiver = try HookReceiver()
        for line in ["GET /v1/spaces/main/hooks/a", "DELETE /v1/spaces/main/hooks/a", "GET /v1/spaces/main/hooks/-a"] {
            let reply = try receiver.service.ask(line)
            #expect(try reply.status == 404 && reply.json["type"] == "/problems/no-such-hook", "\(line)")
        }
        #expect(try receiver.put("-a").status == 422)
        for index in 0..<20 { #expect(try receiver.put("h\(index)").status == 201) }
        #expect(try receiver.put("h20").status == 409)
        #expect(try receiver.put("h7").status == 200)
        #expect(try receiver.put("h20", in: "other").status == 201)
        for line in ["POST /v1/spaces/common/hooks/put", "POST /v1/spaces/main/hooks/a"] {
            #expect(try receiver.service.ask(line, [:], "{}").status == 405, "\(line)")
        }
    }

    // Law HOOK3.
    @Test func `no answer, no journal and no log has the secret or the URL but the hook itself`() throws {
        let folder = try SiteFolder()
        let audit = folder.path + "/audit"
        let receiver = try HookReceiver(
            directory: folder.path + "/data", arguments: ["--audit", audit, "--audit-input"])
        let secret = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0"
        let words = ["whsec", "c2VjcmV0", "secret-secret", "hooks.example"]
        let refused = try receiver.put("b", url: "http://elsewhere.example/", secret: secret)
        #expect(refused.status == 422 && !refused.body.contains("c2Vj"))
        let answers = [
            try receiver.put("a", secret: secret), try receiver.put("a", secret: secret),
            try receiver.service.ask("GET /v1/spaces/main/hooks/a"),
            try receiver.service.ask("GET /v1/spaces/main/hooks"),
        ]
        for reply in answers { #expect(!reply.body.contains("whsec") && !reply.body.contains("c2Vj")) }
        try receiver.add()
        receiver.answer(500)
        receiver.service.advance(seconds: 5)
        receiver.answer()
        receiver.service.advance(seconds: 5)
        let paths = [
            "changes?since=0", "views", "graph", "views?at=1", "cart/totalPrice/history", "cart/totalPrice/why",
            "hooks/x",
        ]
        for space in ["main", "common"] {
            for path in paths {
                let reply = try receiver.service.ask("GET /v1/spaces/\(space)/\(path)")
                for word in words { #expect(!reply.body.contains(word), "\(space)/\(path): \(reply.body)") }
            }
        }
        for path in ["/v1/changes", "/v1", "/metrics"] {
            let reply = try receiver.service.ask("GET \(path)")
            for word in words { #expect(!reply.body.contains(word), "\(path)") }
        }
        _ = receiver.service.close()
        var files = 0
        let enumerator = FileManager.default.enumerator(atPath: folder.path)
        while let name = enumerator?.nextObject() as? String {
            guard let bytes = FileManager.default.contents(atPath: "\(folder.path)/\(name)"), !bytes.isEmpty else {
                continue
            }
            files += 1
            for word in words { #expect(bytes.firstRange(of: Data(word.utf8)) == nil, "\(name) has \(word)") }
        }
        #expect(files > 1)
        let lines = try String(contentsOfFile: audit, encoding: .utf8)
        #expect(lines.contains(#""action":"hooks/put""#))
    }

    @Test func `a commit that is larger than a body may be is delivered without one`() throws {
        let space = try #require(SpaceName("main"))
        let url = try WebAddress("http://hooks.example:9000/")
        let seal = Seal(of: "hook", DigestKey(1, 2))
        let name = try #require(HookName("a", in: space))
        let address = try #require(
            HookAddress(HookAddress.sealed(url, "s", of: name, by: .nobody, seal), of: name, seal))
        for count in [10, HookEvent.bodyBytesLimit] {
            let record = CommitRecord(
                space: space, version: 7, at: Timestamp(microseconds: 0), action: "a/b",
                input: Array("\"\(String(repeating: "x", count: count))\"".utf8), facts: [])
            let event = HookEvent(try CommitPermit.issue(in: space, to: .server).shown(record, by: try Registry([])))
            let request = event.request(
                to: address, reach: .any, name: "msg_1", at: Timestamp(microseconds: 5_000_000))
            let body = request.body ?? []
            #expect(body.isEmpty == (count > 10) && request["ce-oversize"] == (count > 10 ? "\(event.body.count)" : ""))
            #expect(
                try request["webhook-signature"] == request.signature(key: Array("s".utf8))
                    && request["webhook-timestamp"] == "5")
        }
        let other = try #require(HookName("b", in: space))
        let text = HookAddress.sealed(url, "s", of: name, by: .nobody, seal)
        #expect(HookAddress(text, of: other, seal) == nil, "what is sealed for one hook is none of another")
        #expect(HookAddress(text, of: name, Seal(of: "hook", DigestKey(1, 3))) == nil)
        #expect(HookAddress(String(text.dropLast()), of: name, seal) == nil)
    }
}
