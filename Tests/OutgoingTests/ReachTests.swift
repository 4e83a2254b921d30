import Foundation
import Glibc
import StateStore
import Testing

@testable import Outgoing

/// The addresses that a request to a URL of a client may connect to.
@Suite(.serialized) struct ReachTests {
    @Test(arguments: [
        ("8.8.8.8", AddressReach.global), ("1.1.1.1", .global), ("172.15.0.1", .global), ("172.32.0.1", .global),
        ("100.63.0.1", .global), ("192.169.0.1", .global), ("2606:4700::1111", .global), ("2a00::1", .global),
        ("::ffff:8.8.8.8", .global), ("64:ff9b::8.8.8.8", .global), ("2002:808:808::1", .global),
        ("127.0.0.1", .local), ("127.255.255.254", .local), ("10.0.0.1", .local), ("172.16.0.1", .local),
        ("172.31.255.255", .local), ("192.168.1.1", .local), ("100.64.0.1", .local), ("::1", .local),
        ("fc00::1", .local), ("fd12:3456::1", .local), ("::ffff:127.0.0.1", .local), ("::ffff:10.1.2.3", .local),
        ("::127.0.0.1", .local), ("64:ff9b::10.0.0.1", .local), ("2002:7f00:1::", .local),
        ("0.0.0.0", .any), ("0.1.2.3", .any), ("169.254.169.254", .any), ("169.254.0.1", .any),
        ("100.100.100.200", .any),
        ("168.63.129.16", .any), ("192.0.0.192", .any), ("192.0.2.1", .any), ("198.18.0.1", .any),
        ("198.51.100.1", .any), ("203.0.113.1", .any), ("224.0.0.1", .any), ("240.0.0.1", .any),
        ("255.255.255.255", .any), ("::", .any), ("fe80::1", .any), ("febf::1", .any), ("fec0::1", .any),
        ("ff02::1", .any), ("fd00:ec2::254", .any), ("::ffff:169.254.169.254", .any),
        ("64:ff9b::169.254.169.254", .any),
        ("2002:a9fe:a9fe::", .any), ("2001:db8::1", .any), ("2001::1", .any), ("64:ff9b:1::1", .any), ("100::1", .any),
        ("4000::1", .any),
    ])
    func `an address is global, local or special`(_ text: String, _ reach: AddressReach) throws {
        #expect(try #require(InternetAddress(text)).reach == reach)
    }

    @Test(arguments: [
        "", "127.1", "0x7f.0.0.1", "0177.0.0.1", "127.0.0.01", "2130706433", "1.2.3.4.5", "::1%lo", "1.2.3.4\0",
    ])
    func `a text with another reading is no address`(_ text: String) {
        #expect(InternetAddress(text) == nil)
    }

    @Test func `an entry allows what it names`() throws {
        var hosts = AllowedHosts()
        for entry in ["hooks.example", "Inner.example:8443", "127.0.0.1:9000", "10.0.0.5", "[::1]:9000"] {
            let isAdded = hosts.add(entry)
            #expect(isAdded)
        }
        let expected: [(String, AddressReach?)] = [
            ("https://hooks.example/a", .global), ("http://HOOKS.example:81/a", .global),
            ("https://inner.example/", nil),
            ("https://inner.example:8443/", .local), ("http://127.0.0.1:9000", .any), ("http://127.0.0.1:9001", nil),
            ("http://10.0.0.5:1/", .any), ("http://[::1]:9000/", .any), ("http://[0:0::1]:9000/", .any),
            ("http://[::ffff:127.0.0.1]:9000/", nil), ("http://sub.hooks.example/", nil),
        ]
        for (url, reach) in expected { #expect(hosts.reach(of: try WebAddress(url)) == reach, "\(url)") }
    }

    private static func fetch(
        _ outgoing: Outgoing, _ url: String, _ reach: AddressReach?
    ) throws -> Result<OutgoingResponse, FetchFailure> {
        let later = Promise<Result<OutgoingResponse, FetchFailure>>()
        var request = OutgoingRequest("POST", url, body: Array("{}".utf8), target: "hooks")
        request.reach = reach
        _ = outgoing.fetch(request) { later.come($0) }
        return try later.wait()
    }

    // Law G9.
    @Test
    func `a name that leads to this machine is refused without a connection, unless local addresses are permitted`()
        throws
    {
        let server = try ScriptedServer.answering { line, _ in line.answer("ok") }
        defer { server.close() }
        let outgoing = Outgoing()
        defer { outgoing.close() }
        let url = "http://localhost:\(server.port)/"
        guard case .failure(let failure) = try Self.fetch(outgoing, url, .global) else {
            Issue.record("it was delivered")
            return
        }
        #expect(failure.kind == .refused && failure.description.contains("a private address"), "\(failure)")
        #expect(server.connectionCount == 0)
        #expect(try Self.fetch(outgoing, "http://127.0.0.1:\(server.port)/", .local).get().status == 200)
        // The connection is kept, but this request may not use it.
        guard case .failure = try Self.fetch(outgoing, "http://127.0.0.1:\(server.port)/", .global) else {
            Issue.record("it was delivered over a kept connection")
            return
        }
        #expect(server.connectionCount == 1)
        #expect(outgoing.counts.contains { $0.outcome == "refused" && $0.requests == 2 })
    }

    // Law G9.
    @Test func `a guarded request follows no redirect and uses no proxy`() async {
        // In a process of its own, because other requests would use the proxy too.
        await #expect(processExitsWith: .success) {
            let inner = try ScriptedServer.answering { line, _ in line.answer("inner") }
            defer { inner.close() }
            let server = try ScriptedServer.answering { line, _ in
                line.answer("", status: "302 Found", fields: "Location: \(inner.url)/\r\n")
            }
            defer { server.close() }
            try with(["http_proxy": inner.url, "no_proxy": nil]) {
                let outgoing = Outgoing()
                defer { outgoing.close() }
                let status = try Self.fetch(outgoing, server.url, .any).get().status
                #expect(status == 302)
                #expect(inner.connectionCount == 0)
            }
        }
    }
}
