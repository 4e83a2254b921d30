import Glibc
import JSON
import ServiceInProcess
import Testing

/// JSON Web Tokens and tickets at the real program, with a local issuer: a server whose site has the key set.
@Suite struct IdentityTests {
    private let issuer: TokenIssuer

    init() throws {
        issuer = try TokenIssuer()
    }

    private func token(_ key: TokenIssuer.Key, _ subject: String = "ada") throws -> [String: String] {
        let claims = TokenIssuer.claims(until: time(nil) + 600, "\"sub\":\"\(subject)\"")
        return ["Authorization": "Bearer \(try TokenIssuer.token(claims, key))"]
    }

    @Test func `keys are fetched from a local issuer, and again when a token names a new one`() throws {
        try issuer.write("jwks.json", TokenIssuer.keySet([.rsa]))
        let local = try Service("--memory", "--site", issuer.folder, "--threads", "1")
        let server = try Service(
            "--memory", "--jwks", "http://127.0.0.1:\(local.port)/jwks.json", "--issuer", TokenIssuer.issuer,
            "--audience", TokenIssuer.audience, "--threads", "2",
            environment: ["HEADWATER_GRANT": "token.sub == 'ada' => act, *\ntoken.sub == 'root' => admin, *"])
        let title = "/v1/spaces/a/user/title"
        #expect(try server.ask("GET", title, nil, token(.rsa)).status == 200)
        #expect(try server.ask("GET", "/v1/spaces", nil, token(.rsa)).status == 403)
        #expect(try server.ask("GET", "/v1/spaces", nil, token(.rsa, "root")).status == 200)
        #expect(try server.ask("GET", title, nil, token(.rsa, "eve")).status == 403)
        // The issuer changes its key; the first token of the new one waits for the new set.
        let stream = try server.stream(title, token(.rsa))
        _ = try stream.event()
        try issuer.write("jwks.json", TokenIssuer.keySet([.ec]))
        #expect(try server.ask("POST", "/v1/spaces/a/user/logIn", #"{"name": "Ada"}"#, token(.ec)).status == 200)
        // The tokens of the old key end, and their streams.
        while try stream.event() != nil {}
        #expect(try server.ask("GET", title, nil, token(.rsa)).status == 401)
        #expect(try server.ask("GET", title, nil, token(.ed)).status == 401)
    }

    @Test func `SIGHUP reads the file of the keys again`() throws {
        let arguments = try issuer.arguments("true => read, *", keys: [.rsa])
        let server = try Service(arguments: ["--memory", "--threads", "1"] + arguments)
        let stream = try server.stream("/v1/spaces/a/user/title", token(.rsa))
        _ = try stream.event()
        try issuer.write("jwks.json", "nonsense")
        server.program.kill(SIGHUP)
        try issuer.write("jwks.json", TokenIssuer.keySet([.ec]))
        server.program.kill(SIGHUP)
        while try stream.event() != nil {}
        #expect(try server.ask("GET", "/v1", nil, token(.ec)).status == 200)
        #expect(try server.ask("GET", "/v1", nil, token(.rsa)).status == 401)
    }

    @Test func `a ticket goes on with its stream after kill -9`() throws {
        let scratch = try Scratch()
        func serve() throws -> Service {
            try Service("--data", scratch.data, "--threads", "1", environment: ["HEADWATER_TOKEN": "t"])
        }
        var server: Service? = try serve()
        let path = "/v1/spaces/a/user/title?events=1"
        let bearer = ["Authorization": "Bearer t"]
        let made = try server?.ask("POST", "/v1/tickets", "{\"path\": \"\(path)\"}", bearer)
        guard case .string(let ticket)? = try made?.json["ticket"] else { throw Trouble("no ticket") }
        let id = try #require(try server?.stream("\(path)&ticket=\(ticket)").event()?.id)
        server?.program.kill(SIGKILL)
        server = nil
        let next = try serve()
        let logIn = try next.ask("POST", "/v1/spaces/a/user/logIn", #"{"name": "Ada"}"#, bearer)
        #expect(logIn.status == 200)
        let event = try next.stream("\(path)&ticket=\(ticket)", ["Last-Event-ID": id]).event()
        #expect(event?.data == "\"Ada\"" && event?.id.map { $0.suffix(33) == id.suffix(33) && $0 != id } == true)
        #expect(try next.ask("GET", "/v1/spaces/b/user/title?ticket=\(ticket)").status == 401)
    }

    @Test func `weak keys are one clear line that names them, and status 2`() throws {
        let ec = TokenIssuer.Key.ec.members
        let short = String(repeating: "_", count: 170) + "8"
        for (keys, reason) in [
            ("{\"kid\":\"k1\",\(ec)},{\"kid\":\"k1\",\(ec)}", "\"k1\" is there twice"),
            (
                "{\"kid\":\"k1\",\(ec)},{\"kty\":\"RSA\",\"kid\":\"k2\",\"e\":\"AQAB\",\"n\":\"\(short)\"}",
                "\"k2\" has 1024 bits"
            ),
        ] {
            let file = try issuer.write("weak.json", "{\"keys\":[\(keys)]}")
            let said = try refusal(["--jwks", file, "--issuer", "i", "--audience", "a"])
            #expect(said.contains(file) && said.contains(reason), "\(said)")
        }
        let secret = try issuer.write("secret", String(repeating: "x", count: 31) + "\n")
        #expect(try refusal(["--jwt-secret", secret]).contains("31 bytes"))
    }

    /// Returns the line of a server that refuses its arguments.
    private func refusal(_ arguments: [String]) throws -> String {
        let program = try Program(["serve", "--memory", "--port", "0"] + arguments, listensToErrors: true)
        var errors = Incoming(program.errors ?? -1)
        let said = try errors.rest(Deadline())
        #expect(
            program.wait() == 2 && said.split(separator: "\n").count == 1 && said.hasPrefix("headwater: "), "\(said)")
        return said
    }

    @Test(arguments: [
        ["--grant", "true"], ["--grant", "true => fly, *"], ["--grant", "tokn => read, *"], ["--jwks", "/nonexistent"],
        ["--jwks", "https://issuer.example/keys"], ["--jwks", "https://issuer.example/keys", "--issuer", "i"],
        ["--jwt-secret", "/nonexistent"], ["--jwt-secret", "/dev/null"], ["--audit", "/nonexistent/audit"],
        ["--jwks", "/dev/null", "--issuer", "i", "--audience", "a"], ["--byte-rate", "0"], ["--issuer", ""],
    ])
    func `a faulty setting is one clear line, and status 2`(_ arguments: [String]) throws {
        _ = try refusal(arguments)
    }
}
