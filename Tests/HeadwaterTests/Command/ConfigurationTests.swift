import Glibc
import JSON
import Testing

/// Options in a file, beside those of the command line and the environment.
@Suite struct ConfigurationTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    @Test func `a file has options, the environment has precedence, the command line has most`() throws {
        let file = try scratch.file(
            "headwater.conf",
            """
            # the server of the tests
            memory = true
            history = 7      # commits
            allow-origin = https://a.example
            allow-origin = https://b.example
            rate=1000000

            log-level = warning
            """)
        let server = try Service("--config", file, "--log-level", "error", environment: ["HEADWATER_HISTORY": "8"])
        for (origin, status) in [("https://a.example", 200), ("https://b.example", 200), ("https://c.example", 403)] {
            #expect(try server.ask("GET", "/healthz", nil, ["Origin": origin]).status == status)
        }
        let limits = try server.ask("GET", "/v1/limits").json["spaces"]
        #expect(limits?["historyCommits"] == 8)
        let other = try Service(environment: ["HEADWATER_CONFIG": file])
        #expect(try other.ask("GET", "/v1/limits").json["spaces"]?["historyCommits"] == 7)
    }

    @Test func `a check names each fault with its line, and starts nothing`() throws {
        let file = try scratch.file(
            "headwater.conf",
            "memory = true\nprot = 8080\nhistory = many\nrate\ntokens = /nowhere/tokens\nhistory = 5\nconfig = x\n")
        let ending = try Program.run("serve", "--check", "--config", file)
        let lines = ending.errors.split(separator: "\n").map { $0.replacing("headwater: \(file), line ", with: "") }
        #expect(ending.status == 2 && ending.output == "")
        #expect(
            lines == [
                "4: a line has an option and its value: port = 8080",
                "2: no such option: prot; did you mean port?",
                "3: --history takes a number from 0 to 1000000000, not \"many\"",
                "6: history has a value in line 3",
                "7: a configuration file names no other file",
            ])
        let sound = try scratch.file("sound.conf", "memory = true\nport = 0\n")
        let valid = try Program.run("serve", "--check", "--config", sound)
        #expect(valid.status == 0 && valid.output == "the configuration is valid\n" && valid.errors == "")
        // The files that options name, and contradictions, are checked once the values are sound; all of them.
        let faulty = try scratch.file(
            "faulty.conf", "memory = true\nhost = 0.0.0.0\nsite = /nowhere\njwks = keys.json\n")
        let contradictions = try Program.run("serve", "--check", "--config", faulty)
        #expect(contradictions.status == 2 && contradictions.errors.split(separator: "\n").count == 2)
        let both = try scratch.file("both.conf", "memory = true\ndata = x\n")
        #expect(try Program.run("--config", both).errors.contains("both.conf, line 2: data and memory exclude"))
        #expect(try Program.run("--config", scratch.path + "/nothing").status == 2)
        #expect(try Program.run("--config", file).errors.split(separator: "\n").count == 1)
    }

    @Test func `a token with all rights can be the content of a file`() throws {
        let secret = try scratch.file("secret", "s3cret\n")
        let server = try Service("--memory", "--token-file", secret)
        #expect(try server.ask("GET", "/v1/spaces", nil).status == 401)
        #expect(try server.ask("GET", "/v1/spaces", nil, ["Authorization": "Bearer s3cret"]).status == 200)
        let empty = try scratch.file("empty", "\n")
        #expect(try Program.run("--memory", "--token-file", empty).status == 2)
        #expect(try Program.run("--memory", environment: ["HEADWATER_TOKEN_FILE": "/nowhere"]).status == 2)
    }

    @Test func `SIGHUP names the options that have other values and need a restart`() throws {
        let file = try scratch.file("headwater.conf", "memory = true\nport = 0\nhistory = 5\n")
        let program = try Program(["--config", file], listensToErrors: true)
        var output = Incoming(program.output)
        _ = try #require(try output.upTo("\n", Deadline()))
        var errors = Incoming(program.errors ?? -1)
        func reload(_ text: String, _ awaited: String) throws -> String {
            _ = try scratch.file("headwater.conf", text)
            program.kill(SIGHUP)
            while true {
                let line = try #require(try errors.upTo("\n", Deadline()))
                if line.contains(awaited) { return line }
            }
        }
        let changed = try reload("memory = true\nport = 0\nhistory = 6\nrate = 4\n", "need a restart")
        #expect(changed.contains("history, rate"))
        let faulty = try reload("memory = perhaps\n", "is faulty")
        #expect(faulty.contains("line 1"))
        _ = try reload("memory = true\nport = 0\nhistory = 5\n", "is unchanged")
    }
}
