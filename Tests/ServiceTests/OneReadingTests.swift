import ServiceInProcess
import Testing

/// Texts that two programs could read differently.
@Suite struct OneReadingTests {
    @Test func `a length counts Unicode scalars, and only spaces are trimmed`() throws {
        let service = try ServiceInProcess()
        func save(_ name: String) throws -> Int {
            try service.ask("POST /v1/spaces/main/user/logIn", [:], #"{"name": "\#(name)"}"#).status
        }
        #expect(try save("a" + String(repeating: "\u{301}", count: 99)) == 200)
        #expect(try save("a" + String(repeating: "\u{301}", count: 100)) == 422)
        #expect(try save("a" + String(repeating: "\u{301}", count: 400_000)) == 422)
        #expect(try save("  Ada  ") == 200)
        for blank in ["\u{A0}", "\u{2003}", "\u{3000}", "\u{FEFF}", "\u{2028}"] {
            #expect(
                try save("Ada" + blank) == 422 && save(blank + "Ada") == 422 && save(" " + blank) == 422,
                "\(blank.unicodeScalars)")
            #expect(try save("A" + blank + "da") == 200)
        }
        let language = "{\"language\": \"swift\u{A0}\"}"
        #expect(try service.ask("POST /v1/spaces/main/feed/followTrending", [:], language).status == 422)
    }

    @Test func `an element of Accept with a malformed weight is ignored`() throws {
        let service = try ServiceInProcess()
        for weight in ["5.1", "1.001", "-1", "0x1", "1e0", ".5", "0.1234", "inf", "nan", " 1", "00", ""] {
            let accept = "text/event-stream;q=\(weight), application/json;q=0.1"
            let reply = try service.ask("GET /v1/spaces/main/user/title", ["Accept": accept])
            #expect(reply["Content-Type"] == "application/json", "\(weight)")
        }
        for weight in ["0.2", "1", "1.", "1.000", "0.101"] {
            let accept = "text/event-stream;q=\(weight), application/json;q=0.1"
            #expect(
                try service.ask("GET /v1/spaces/main/user/title", ["Accept": accept])["Content-Type"]
                    == "text/event-stream", "\(weight)")
        }
    }

    @Test func `an absolute address without a path is the console's page`() throws {
        let service = try ServiceInProcess()
        for target in ["http://localhost", "http://localhost/", "http://localhost?a=b"] {
            #expect(try service.ask("GET \(target)")["Content-Type"] == "text/html; charset=utf-8", "\(target)")
        }
    }

    @Test(arguments: [
        "127.0.0.01", "127.0.0.+1", "127.0.0.1.", "127.1", "0127.0.0.1", "127.0.0.256", "127.0.0.-1", "127.0.0.",
        "[::1%25lo]", "[::01]",
        "127.0.0.0x1", "2130706433",
    ])
    func `a name that resembles a loopback name is refused`(_ host: String) throws {
        let service = try ServiceInProcess()
        #expect([400, 421].contains(try service.ask("GET /healthz", ["Host": host]).status))
        #expect([400, 421].contains(try service.ask("GET http://\(host)/healthz").status))
    }

    @Test func `loopback names are recognized`() throws {
        let service = try ServiceInProcess()
        for host in ["localhost", "127.0.0.1", "127.255.0.9:80", "[::1]:8080", "a.localhost"] {
            #expect(try service.ask("GET /healthz", ["Host": host]).status == 200, "\(host)")
        }
    }

    @Test(arguments: ["+5", " 5", "5.0", "٥", "1e1", "-1", "0"]) func `a limit has digits only`(_ limit: String) throws
    {
        let text = limit.utf8.map { "%" + String($0, radix: 16) }.joined()
        #expect(try ServiceInProcess().ask("GET /v1/spaces?limit=\(text)").status == 422)
    }
}
