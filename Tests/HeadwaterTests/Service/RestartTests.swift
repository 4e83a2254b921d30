import Glibc
import JSON
import Testing

@Suite struct RestartTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func serve(_ durability: String = "commit") throws -> Service {
        try Service("--data", scratch.data, "--durability", durability, "--threads", "2")
    }

    @Test(arguments: ["commit", "interval", "none"])
    func `acknowledged commits survive the process undamaged`(_ durability: String) throws {
        for round in 0..<2 {
            let server = try serve(durability)
            let actor = try server.connect()
            for index in 0..<50 {
                try actor.send(Request.text("POST", "/v1/spaces/a/cart/add", "{\"productId\": \(1 + index % 3)}"))
            }
            var version = 0
            for _ in 0..<20 {
                let answer = try actor.response()
                #expect(answer.status == 200)
                version = try #require(try answer.json["version"]?.integer)
            }
            server.program.kill(SIGKILL)
            #expect(server.program.wait() == -SIGKILL)
            let again = try serve(durability)
            let kept = try #require(try again.ask("GET", "/v1/spaces/a").json["version"]?.integer)
            #expect(kept >= version)
            #expect(try again.ask("GET", "/v1/spaces/a/cart/numberOfItems").text == "\(kept)")
            again.program.kill(SIGTERM)
            #expect(again.program.wait() == 0, "round \(round)")
        }
        #expect(try Program.run("check", scratch.data).status == 0)
    }

    // Law H8: a tag stays valid after a restart unless a commit can have been lost.
    @Test(arguments: [
        ("commit", SIGKILL, true), ("commit", SIGTERM, true), ("interval", SIGTERM, true), ("interval", SIGKILL, false),
    ])
    func `a tag survives a restart if no commit can be lost`(
        _ durability: String, _ signal: Int32, _ survives: Bool
    ) throws {
        let server = try serve(durability)
        try server.ask("POST", "/v1/spaces/a/user/logIn", #"{"name": "Ada"}"#)
        let stream = try server.stream("/v1/spaces/a/changes")
        let id = try #require(try stream.event()?.id)
        let title = try server.ask("GET", "/v1/spaces/a/user/title").tag
        server.program.kill(signal)
        _ = server.program.wait()
        let again = try serve(durability)
        #expect(try (again.ask("GET", "/v1/spaces/a/user/title").tag == title) == survives)
        #expect(
            try again.ask("POST", "/v1/spaces/a/user/logOut", "{}", ["If-Match": "\"\(id)\""]).status
                == (survives ? 200 : 412))
        if survives {
            let resumed = try again.stream("/v1/spaces/a/changes", ["Last-Event-ID": id])
            #expect(try #require(try resumed.event()?.data).hasPrefix(#"{"version":2,"#))
        } else {
            let stream = try again.stream("/v1/spaces/a/changes", ["Last-Event-ID": id])
            let reset = try #require(try stream.event())
            #expect(reset.name == "reset" && reset.id == nil && reset.data == "{}")
            #expect(try #require(try stream.event()?.data).hasPrefix(#"{"version":1,"#))
            let gone = try again.ask("GET", "/v1/spaces/a/changes?since=\(id)")
            #expect(try gone.isProblem("gone", 410) && gone.json["oldest"] == 0)
        }
    }

    // Laws W1 and W3
    @Test(arguments: [true, false])
    func `a stream goes on with higher versions after a crash, or begins with reset if commits may be lost`(
        _ survives: Bool
    ) throws {
        let durability = survives ? "commit" : "none"
        let server = try serve(durability)
        let path = "/v1/spaces/a/user/title"
        try server.ask("POST", "/v1/spaces/a/user/logIn", #"{"name": "Ada"}"#)
        let id = try #require(try server.stream(path).event()?.id)
        #expect(id.hasPrefix("1.0-"))
        server.program.kill(SIGKILL)
        _ = server.program.wait()
        let again = try serve(durability)
        let stream = try again.stream(path, ["Last-Event-ID": id])
        if survives {
            #expect(try again.ask("GET", path).tag == id)
        } else {
            let reset = try #require(try stream.event())
            #expect(reset.name == "reset" && reset.id == nil && reset.data == "{}")
            #expect(try stream.event()?.id == again.ask("GET", path).tag)
        }
        guard survives else { return }
        try again.ask("POST", "/v1/spaces/a/user/save", #"{"name": "Eve"}"#)
        let next = try #require(try stream.event())
        #expect(next.data == #""Eve""# && next.id?.hasPrefix("2.0-") == true)
    }

    // Law H8
    @Test func `older tags are not valid on a backup that replaced the data`() throws {
        let server = try serve()
        try server.ask("POST", "/v1/spaces/a/user/logIn", #"{"name": "Ada"}"#)
        let space = try server.ask("GET", "/v1/spaces/a").tag
        let title = try server.ask("GET", "/v1/spaces/a/user/title").tag
        #expect(try Program.run("backup", scratch.data, scratch.data + "-copy").status == 0)
        let again = try Program.run("backup", scratch.data, scratch.data + "-copy/")
        #expect(again.status == 1 && again.errors.contains("exists already"))
        #expect(try Program.run("backup", scratch.data).status == 2)
        try server.ask("POST", "/v1/spaces/a/user/logOut", "{}")
        let lost = try server.ask("GET", "/v1/spaces/a").tag
        server.program.kill(SIGTERM)
        _ = server.program.wait()
        let restored = try Service("--data", scratch.data + "-copy", "--threads", "1")
        // Another commit takes the version of the lost one.
        try restored.ask("POST", "/v1/spaces/a/user/logIn", #"{"name": "Eve"}"#)
        for tag in [space, lost] {
            #expect(try restored.ask("GET", "/v1/spaces/a", nil, ["If-None-Match": "\"\(tag)\""]).status == 200)
            #expect(
                try restored.ask("POST", "/v1/spaces/a/user/logOut", "{}", ["If-Match": "\"\(tag)\""]).status == 412)
            #expect(try restored.ask("GET", "/v1/spaces/a/changes?since=\(tag)").isProblem("gone", 410))
            #expect(try restored.stream("/v1/spaces/a/changes", ["Last-Event-ID": tag]).event()?.name == "reset")
        }
        #expect(
            try restored.ask("GET", "/v1/spaces/a/user/title", nil, ["If-None-Match": "\"\(title)\""]).status == 200)
    }

    @Test func `equal values have other tags on another server, because its key differs`() throws {
        let tags = try (0..<2).map { _ in
            try Service("--memory", "--threads", "1").ask("GET", "/v1/spaces/a/user/title").tag
        }
        #expect(tags[0] != tags[1] && tags[0].hasPrefix("0.0-"))
    }

    @Test func `an idempotency key survives a restart`() throws {
        let body = #"{"productId": 1}"#
        let server = try serve()
        let first = try server.ask("POST", "/v1/spaces/a/cart/add", body, ["Idempotency-Key": "k"])
        server.program.kill(SIGKILL)
        _ = server.program.wait()
        let again = try serve()
        let repeated = try again.ask("POST", "/v1/spaces/a/cart/add", body, ["Idempotency-Key": "k"])
        #expect(repeated["Idempotency-Replayed"] == "true" && repeated.text == first.text)
        #expect(try again.ask("POST", "/v1/spaces/a/cart/clear", "{}", ["Idempotency-Key": "k"]).status == 422)
    }

    @Test func `on a full disk an action is 503, reads work, and writes work again once there is room`() throws {
        let server = try Service("--data", scratch.data, "--threads", "1", shell: "ulimit -S -f 300")
        let actor = try server.connect()
        var kept = 0
        var full: Response?
        for index in 0..<20_000 where full == nil {
            try actor.send(Request.text("POST", "/v1/spaces/a/user/save", "{\"name\": \"n\(index)\"}"))
            let answer = try actor.response()
            if answer.status == 200 { kept = index } else { full = answer }
        }
        let problem = try #require(full)
        #expect(
            try problem.isProblem("cannot-write", 503) && problem["Retry-After"] != nil && !problem.text.contains(".."))
        #expect(try server.ask("GET", "/v1/spaces/a/user/name").text == "\"n\(kept)\"")
        #expect(try server.ask("GET", "/readyz").isProblem("not-ready", 503))
        #expect(try server.ask("GET", "/healthz").status == 200)
        guard let shell = popen("prlimit --pid \(server.program.pid) --fsize=unlimited", "r") else {
            throw Trouble("no shell")
        }
        #expect(pclose(shell) == 0)
        #expect(try server.ask("GET", "/readyz").status == 200)
        #expect(try server.ask("POST", "/v1/spaces/a/user/save", #"{"name": "again"}"#).status == 200)
        server.program.kill(SIGTERM)
        #expect(server.program.wait() == 0)
        #expect(try Program.run("check", scratch.data).status == 0)
    }
}
