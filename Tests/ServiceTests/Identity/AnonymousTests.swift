import JSON
import Outgoing
import ServiceInProcess
import StateStore
import Testing

@testable import HeadwaterServer

/// Callers without a token, beside tokens.
@Suite struct AnonymousTests {
    private let folder: SiteFolder

    init() throws {
        folder = try SiteFolder()
        try folder.write("tokens", Tracker.tokens)
    }

    private func service(_ anonymous: String) throws -> ServiceInProcess {
        try ServiceInProcess(
            tokenFile: Tracker.tokens,
            arguments: ["--anonymous", anonymous, "--tokens", "\(folder.path)/tokens"])
    }

    @Test func `a caller without a token has the right in the spaces, and elsewhere needs a token`() throws {
        let service = try service("read, open-* main")
        #expect(try service.ask("GET /v1/spaces/open-1/user/title").status == 200)
        #expect(try service.ask("GET /v1").status == 200)
        let closed = try service.ask("GET /v1/spaces/other/user/title")
        #expect(closed.status == 401 && closed["WWW-Authenticate"] != nil, "\(closed)")
        let act = try service.ask("POST /v1/spaces/main/user/logIn", [:], #"{"name": "Ada"}"#)
        #expect(act.status == 401)
        #expect(try service.ask("POST /v1/spaces/main/user/logIn", Tracker.ada, #"{"name": "Ada"}"#).status == 200)
        #expect(try service.ask("GET /metrics").status == 401)
        #expect(try service.ask("GET /v1/subjects").status == 401)
    }

    // Law ID13
    @Test func `a bad token is 401, never anonymous`() throws {
        let service = try service("act, *")
        for fields in [["Authorization": "Bearer wrong"], ["Authorization": "Basic eDp5"], ["Authorization": ""]] {
            #expect(try service.ask("GET /v1/spaces/main/user/title", fields).status == 401, "\(fields)")
        }
        for query in ["access_token=wrong", "access_token=", "ticket=wrong"] {
            #expect(try service.ask("GET /v1/spaces/main/user/title?\(query)").status == 401, "\(query)")
        }
    }

    @Test func `an anonymous action has the subject "" and no claims, and keys of its own`() throws {
        let service = try service("act, *")
        let keyed = ["Idempotency-Key": "k"]
        let first = try service.ask("POST /v1/spaces/main/user/logIn", keyed, #"{"name": "Ada"}"#)
        #expect(first.status == 200)
        #expect(
            try service.ask("POST /v1/spaces/main/user/logIn", keyed, #"{"name": "Ada"}"#)["Idempotency-Replayed"]
                == "true")
        // The same key of a subject is another one.
        let other = try service.ask(
            "POST /v1/spaces/main/user/logIn", Tracker.ada.merging(keyed) { $1 }, #"{"name": "Bob"}"#)
        #expect(other["Idempotency-Replayed"] == nil && other.status != 422, "\(other)")
        let changes = try service.ask("GET /v1/spaces/main/changes", Tracker.root)
        #expect(changes.body.contains(#""by":{"sub":""}"#))
        #expect(try service.ask("DELETE /v1/spaces/main").status == 401)
    }

    @Test func `an anonymous caller gets tickets`() throws {
        let service = try service("read, *")
        let reply = try service.ask("POST /v1/tickets", [:], #"{"path": "/v1/spaces/main/user/title"}"#)
        #expect(reply.status == 201, "\(reply)")
        guard case .string(let ticket)? = try reply.json["ticket"] else { return }
        #expect(try service.ask("GET /v1/spaces/main/user/title?ticket=\(ticket)").status == 200)
        #expect(try service.ask("GET /v1/spaces/other/user/title?ticket=\(ticket)").status == 401)
        let closed = try ServiceInProcess(tokenFile: Tracker.tokens)
        #expect(try closed.ask("GET /v1/spaces/main/user/title?ticket=\(ticket)").status == 401)
    }

    // Law ID13
    @Test func `each network has an account of its own, which a proxy tells by the last address`() throws {
        let permissions = try AnonymousCallers.permissions("act, *")
        let proxy = try #require(InternetAddress("10.0.0.7"))
        let callers = AnonymousCallers(permissions, proxies: [proxy])
        func account(_ peer: String?, _ forwarded: String? = nil) -> ObjectIdentifier {
            ObjectIdentifier(callers.account(peer: peer, forwardedFor: forwarded))
        }
        #expect(account("192.0.2.1") == account("::ffff:192.0.2.1"))
        #expect(account("192.0.2.1") != account("192.0.2.2"))
        #expect(account("2001:db8:1:2::1") == account("2001:db8:1:2:ffff::9"))
        #expect(account("2001:db8:1:2::1") != account("2001:db8:1:3::1"))
        // Only a proxy is believed, and only its own word.
        #expect(account("192.0.2.1", "203.0.113.5") == account("192.0.2.1"))
        #expect(account("10.0.0.7", "1.1.1.1, 203.0.113.5") == account("203.0.113.5"))
        #expect(account("10.0.0.7", "203.0.113.5, nonsense") == account("10.0.0.7"))
        #expect(account("::ffff:10.0.0.7", "203.0.113.5") == account("203.0.113.5"))
        #expect(account("10.0.0.7") != account("203.0.113.5"))
        let one = callers.account(peer: "203.0.113.5", forwardedFor: nil)
        let (suffix, kind, subject) = (one.keySuffix, one.kind, one.subject)
        let other = callers.account(peer: "203.0.113.6", forwardedFor: nil).keySuffix
        #expect(suffix != other && kind == .anonymous && subject.isEmpty)
    }

    @Test func `the limits belong to the network, also when many others came between`() throws {
        let callers = AnonymousCallers(try AnonymousCallers.permissions("act, *"), proxies: [])
        let account = callers.account(peer: "203.0.113.5", forwardedFor: nil)
        let isFirst = account.use.openStream(limit: 1)
        #expect(isFirst)
        for number in 0..<AnonymousCallers.accountsLimit + 10 {
            _ = callers.account(
                peer: "10.\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)", forwardedFor: nil)
        }
        let isSecond = callers.account(peer: "203.0.113.5", forwardedFor: nil).use.openStream(limit: 1)
        #expect(!isSecond)
        withExtendedLifetime(account) {}
    }

    @Test(arguments: ["read", "admin, *", "define, *", "metrics, *", "read act, *", "read,", ", *", "read, a,b", ""])
    func `other rights and patterns are refused`(_ text: String) {
        #expect(throws: CommandFault.self) { try AnonymousCallers.permissions(text) }
    }
}
