import Glibc
import JSON
import Testing

@Suite struct CommandTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    @Test(arguments: [
        ["--bogus"], ["serve", "--bogus"], ["--port"], ["--port", "x"], ["--port", "65536"], ["--port", "-1"],
        ["--port", "+1"],
        ["--durability", "often"], ["--history", "-1"], ["--threads", "0"], ["--rate", "0"], ["--log-level", "loud"],
        ["--log-format", "xml"], ["--allow-origin", "a.example"], ["--tokens", "/nowhere/tokens"],
        ["--memory", "--data", "x"],
        ["--features", ".", "--journal", "nats://127.0.0.1:1", "--cluster", "c", "--node", "n"],
        ["--host", "0.0.0.0"], ["--host", "nonsense"], ["--host", ""], ["--data", ""], ["--memory=1"], ["extra"],
        ["serve", "extra"],
        ["help", "nothing"], ["check"], ["export"], ["check", "a", "b"], ["export", "a", "--space"],
        ["export", "a", "--bogus", "1"],
        ["--github-url", "ftp://x"], ["--max-body", "0"], ["--heartbeat", "0"],
        ["--site"], ["--site", ""], ["--site", "/nowhere"],
        ["--examples"], ["--examples", ""], ["--examples", "shop"], ["--examples", "user,"],
        ["--examples", "none,user"],
        ["--examples", "user", "--github-url", "http://127.0.0.1"], ["--rates-url", "http://[::1]", "--examples=none"],
    ])
    func `an unknown option or an invalid value gives one line and status 2, and starts nothing`(
        _ arguments: [String]
    ) throws {
        let program = try Program(arguments, listensToErrors: true)
        var output = Incoming(program.output)
        var errors = Incoming(program.errors ?? -1)
        #expect(try output.rest(Deadline()) == "")
        let complaint = try errors.rest(Deadline())
        #expect(complaint.hasPrefix("headwater: ") && complaint.split(separator: "\n").count == 1, "\(complaint)")
        #expect(program.wait() == 2)
    }

    @Test(arguments: [
        ("HEADWATER_PORT", "x"), ("HEADWATER_DURABILITY", "often"), ("HEADWATER_HISTORY", "x"),
        ("HEADWATER_THREADS", "x"),
        ("HEADWATER_RATE", "x"), ("HEADWATER_LOG_LEVEL", "loud"), ("HEADWATER_LOG_FORMAT", "xml"),
        ("HEADWATER_ALLOW_ORIGIN", "x"),
        ("HEADWATER_TOKENS", "/nowhere"), ("HEADWATER_HOST", "0.0.0.0"), ("HEADWATER_GITHUB_URL", "x"),
        ("HEADWATER_WORKSHOP_URL", "x"),
        ("HEADWATER_RATES_URL", "x"), ("HEADWATER_GITHUB_TOKEN", "a b"), ("HEADWATER_MEMORY", "perhaps"),
        ("HEADWATER_EXAMPLES", "shop"),
    ])
    func `each option has an environment variable`(_ name: String, _ value: String) throws {
        let ending = try Program.run("--data", scratch.data, environment: [name: value])
        #expect(
            ending.status == 2 && ending.output == "" && ending.errors.split(separator: "\n").count == 1, "\(ending)")
    }

    @Test func `a refused token is not repeated in the message`() throws {
        let ending = try Program.run("--memory", "--github-token", "se cret")
        #expect(ending.status == 2 && ending.errors.contains("--github-token") && !ending.errors.contains("cret"))
    }

    @Test func `an option has precedence over the environment`() throws {
        let server = try Service(
            "--memory", environment: ["HEADWATER_PORT": "1", "HEADWATER_HISTORY": "x0".replacing("x", with: "1")])
        #expect(server.port > 1)
        #expect(server.greeting == "headwater listening on http://127.0.0.1:\(server.port)\n")
        let strict = try Service(
            "--memory", "--rate", "5", "--allow-origin", "https://b.example",
            environment: ["HEADWATER_RATE": "x", "HEADWATER_ALLOW_ORIGIN": "https://a.example"])
        for (origin, status) in [("https://a.example", 403), ("https://b.example", 200)] {
            #expect(try strict.ask("GET", "/healthz", nil, ["Origin": origin]).status == status)
        }
        let other = try Service("--host", "::1", environment: ["HEADWATER_MEMORY": "1"])
        #expect(other.greeting == "headwater listening on http://[::1]:\(other.port)\n")
    }

    @Test func `an address other than loopback without a token is refused with the remedy`() throws {
        let ending = try Program.run("--memory", "--host", "0.0.0.0", "--port", "0")
        #expect(ending.status == 2 && ending.errors.contains("HEADWATER_TOKEN") && ending.errors.contains("--tokens"))
        let server = try Service("--memory", "--host", "0.0.0.0", environment: ["HEADWATER_TOKEN": "t"])
        #expect(try server.ask("GET", "/healthz").status == 200)
    }

    @Test func `a directory has one server, and the second one's message has the first one's process id`() throws {
        let server = try Service("--data", scratch.data)
        let ending = try Program.run("--data", scratch.data, "--port", "0")
        #expect(ending.status != 0 && ending.output == "" && ending.errors.contains("\(server.program.pid)"))
        #expect(ending.errors.split(separator: "\n").count == 1)
        let taken = try Program.run("--memory", "--port", "\(server.port)")
        #expect(taken.status == 1 && taken.errors.contains("\(server.port)"))
    }

    @Test func `eval knows the time zones of the system`() throws {
        let ending = try Program.run("eval", "timestamp('2024-07-01T00:00:00Z').getHours('Europe/Berlin')")
        #expect(ending.status == 0)
        #expect(ending.output == "2\n")
    }

    @Test func `help and version go to standard output`() throws {
        for arguments in [["--help"], ["help"], ["-h"]] {
            let program = try Program(arguments)
            var output = Incoming(program.output)
            #expect(try output.rest(Deadline()).contains("usage:"))
            #expect(program.wait() == 0)
        }
        let version = try Program.run("--version")
        #expect(
            version.status == 0 && version.output.hasPrefix("headwater ")
                && version.output.split(separator: "\n").count == 1)
        let serve = try Program.run("help", "serve").output
        for option in [
            "--host", "--port", "--data", "--memory", "--durability", "--history", "--tokens", "--allow-origin",
            "--threads", "--rate",
            "--github-url", "--github-token",
            "--site", "--workshop-url", "--rates-url", "--log-level", "--log-format",
        ] { #expect(serve.contains("  \(option)"), "\(option)") }
        for command in ["check", "export", "import", "eval"] { #expect(try Program.run("help", command).status == 0) }
    }

    @Test func `a directory is checked, exported and imported`() throws {
        let server = try Service("--data", scratch.data)
        for name in ["Ada", "Bo"] {
            for space in ["a", "b"] {
                try server.ask("POST", "/v1/spaces/\(space)/user/logIn", "{\"name\": \"\(name)\"}")
            }
        }
        // A check works while a server uses the directory.
        #expect(try Program.run("check", scratch.data).status == 0)
        let all = try Program.run("export", scratch.data)
        #expect(all.status == 0 && all.output.split(separator: "\n").count == 4)
        for line in all.output.split(separator: "\n") { _ = try JSON(parsing: Array(line.utf8)) }
        #expect(try Program.run("export", scratch.data, "--space", "a").output.split(separator: "\n").count == 2)
        let lines = try scratch.file("lines", all.output)
        let copy = scratch.path + "/copy"
        #expect(try Program.run("import", copy, input: lines).status == 0)
        #expect(try Program.run("export", copy).output == all.output)
        #expect(try Program.run("import", copy, input: lines).status != 0)
        let other = try Service("--data", copy)
        #expect(try other.ask("GET", "/v1/spaces/b/user/title").text == #""Bo""#)
        #expect(try Program.run("check", scratch.path + "/nothing").status == 1)
        let broken = try scratch.file("broken", "{\"space\":\"a\"}\n")
        #expect(try Program.run("import", scratch.path + "/new", input: broken).status == 1)
    }

    @Test func `logs go to standard error in the selected format`() throws {
        let program = try Program(
            ["--memory", "--port", "0", "--log-format", "json", "--log-level", "debug"], listensToErrors: true)
        var errors = Incoming(program.errors ?? -1)
        let line = try #require(try errors.upTo("\n", Deadline()))
        #expect(try JSON(parsing: Array(line.utf8))["message"] == "listening")
        program.kill(SIGTERM)
        #expect(program.wait() == 0)
    }
}
