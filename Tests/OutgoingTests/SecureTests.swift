import Foundation
import Outgoing
import StateStore
import Testing

extension OutgoingTests {
    /// Trust in HTTPS servers.
    @Suite(
        .enabled(
            if: TLSServer.program != nil, "openssl is missing: install it to run these tests"))
    struct SecureTests {
        private let outgoing = Outgoing()

        private static let welcome = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nwelcome"

        private func get(_ url: String) throws -> Result<OutgoingResponse, FetchFailure> {
            try fetch(url, with: outgoing)
        }

        // Law G7
        @Test func `a server with a trusted certificate answers`() throws {
            let server = try TLSServer(["a": Self.welcome])
            defer { server.close() }
            try with(["SSL_CERT_FILE": server.certificate]) {
                let response = try get(server.url + "/a").get()
                #expect(response.status == 200 && response.body == Array("welcome".utf8))
            }
        }

        // Law G7
        @Test func `a server with an untrusted certificate is refused, with a clear reason`() throws {
            let (server, other) = (try TLSServer(["a": Self.welcome]), try TLSServer([:]))
            defer {
                server.close()
                other.close()
            }
            for trusted in [nil, other.certificate] {
                try with(["SSL_CERT_FILE": trusted]) {
                    guard case .failure(let failure) = try get(server.url + "/a") else {
                        throw TLSServer.NotStarted()
                    }
                    #expect(failure.kind == .unreachable && failure.description.contains("certificate"), "\(failure)")
                }
            }
        }

        // Law G7
        @Test func `a server with a certificate for another name is refused`() throws {
            let server = try TLSServer(["a": Self.welcome], certifiedFor: "DNS:elsewhere.test,IP:127.0.0.2")
            defer { server.close() }
            try with(["SSL_CERT_FILE": server.certificate]) {
                let result = try get(server.url + "/a")
                #expect(kind(result) == .unreachable)
            }
        }

        // Law G5
        @Test func `a redirect from https to http fails`() throws {
            let plain = try ScriptedServer.answering { line, _ in line.answer("in the open") }
            let server = try TLSServer([
                "astray": "HTTP/1.1 302 Found\r\nLocation: \(plain.url)/\r\nContent-Length: 0\r\n\r\n",
                "on": "HTTP/1.1 302 Found\r\nLocation: /a\r\nContent-Length: 0\r\n\r\n", "a": Self.welcome,
            ])
            defer {
                plain.close()
                server.close()
            }
            try with(["SSL_CERT_FILE": server.certificate]) {
                let result = try get(server.url + "/astray")
                #expect(kind(result) == .redirected)
                let followed = try get(server.url + "/on").get().body
                #expect(followed == Array("welcome".utf8))
            }
            #expect(plain.connectionCount == 0)
        }

        // Law G8
        @Test func `a proxy receives CONNECT, and sees only encrypted bytes`() throws {
            let server = try TLSServer(["a": Self.welcome])
            let (asked, heard, port) = (TextLog(), TextLog(), server.port)
            let proxy = try ScriptedServer { line in
                guard let request = line.request() else { return }
                asked.note(request)
                guard request.hasPrefix("CONNECT "), let there = ScriptedServer.ServerConnection(to: port) else {
                    return
                }
                line.send("HTTP/1.1 200 Connected\r\n\r\n")
                line.pass(to: there) { heard.note($0) }
            }
            defer {
                proxy.close()
                server.close()
            }
            try with(["SSL_CERT_FILE": server.certificate, "https_proxy": proxy.url, "no_proxy": nil]) {
                let result = try get(server.url + "/a").get().body
                #expect(result == Array("welcome".utf8))
            }
            #expect(asked.all.count == 1 && asked.all[0].hasPrefix("CONNECT 127.0.0.1:\(server.port) HTTP/1.1\r\n"))
            #expect(!heard.all.isEmpty && !heard.all.joined().contains("GET"))
        }
    }
}
