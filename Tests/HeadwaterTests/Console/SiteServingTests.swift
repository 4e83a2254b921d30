import Testing

/// The files of `--site` over real sockets, read by a thread of their own.
@Suite struct SiteServingTests {
    @Test func `many clients of two loops get whole files, also while the files change`() throws {
        let scratch = try Scratch()
        let line = String(repeating: "0123456789abcdef", count: 64)
        func write(_ mark: String) throws {
            _ = try scratch.file("index.html", "<p>\(mark)</p>")
            _ = try scratch.file("large.txt", mark + String(repeating: line, count: 1_000) + mark)
        }
        try write("0")
        let server = try Service("--memory", "--threads", "2", "--site", scratch.path)
        for round in 1...5 {
            try write("\(round)")
            let clients = try (0..<16).map { _ in try server.connect() }
            for client in clients { try client.send(Request.text("GET", "/large.txt") + Request.text("GET", "/")) }
            for client in clients {
                let large = try client.response()
                #expect(large.status == 200 && large.body.count == 1_024_002)
                #expect(large.text.first == large.text.last && large.text.hasPrefix("\(round)"))
                #expect(try client.response().text == "<p>\(round)</p>")
            }
        }
        #expect(try server.ask("GET", "/console/").text.contains("main.js"))
        #expect(try server.ask("GET", "/..%2f..%2fetc%2fpasswd").isProblem("no-such-path", 404))
        #expect(try server.ask("GET", "/v1").status == 200)
    }

    @Test func `the data directory and the token file may lie in the site, and are not served`() throws {
        let scratch = try Scratch()
        _ = try scratch.file("page.html", "page")
        let tokens = try scratch.file(
            "tokens", "3d0941964aa3ebdcb00ccef58b1bb399f9f898465e9886d5aec7f31090a0fb30 read\n")
        let server = try Service(
            "--data", scratch.data, "--tokens", tokens, environment: ["HEADWATER_SITE": scratch.path])
        #expect(try server.ask("GET", "/page.html").text == "page")
        for path in ["/tokens", "/data", "/data/journal.sqlite", "/data/"] {
            #expect(try server.ask("GET", path).status == 404, "\(path)")
        }
        #expect(try server.ask("GET", "/v1").status == 401)
    }

    @Test func `a site that is no directory gives one line and status 2`() throws {
        let scratch = try Scratch()
        let file = try scratch.file("file", "")
        for place in [scratch.path + "/nothing", file] {
            for ending in [
                try Program.run("--memory", "--port", "0", "--site", place),
                try Program.run("--memory", "--port", "0", environment: ["HEADWATER_SITE": place]),
            ] {
                #expect(ending.status == 2 && ending.output == "" && ending.errors.contains(place), "\(ending)")
                #expect(ending.errors.split(separator: "\n").count == 1)
            }
        }
    }
}
