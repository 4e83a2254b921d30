import Testing

@Suite struct ConsoleTests {
    /// Returns the texts between one of the beginnings and the next quotation mark.
    private func names(in text: String, after beginnings: [String]) -> Set<String> {
        var names: Set<String> = []
        for beginning in beginnings {
            for piece in text.split(separator: beginning, omittingEmptySubsequences: false).dropFirst() {
                names.insert(String(piece.prefix { $0 != "\"" && $0 != "'" }))
            }
        }
        return names
    }

    @Test func `the page and its files are served, each with its type, a tag and a strict policy`() throws {
        let server = try Service.shared()
        let types = ["css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"]
        let page = try server.ask("GET", "/")
        #expect(page.status == 200 && page["Content-Type"] == "text/html; charset=utf-8")
        var waiting = names(
            in: page.text, after: ["rel=\"stylesheet\" href=\"", "modulepreload\" href=\"", "src=\"", "icon\" href=\""])
        var seen: Set<String> = []
        #expect(waiting.contains("main.js") && waiting.contains("style.css"))
        while let name = waiting.popFirst() {
            guard seen.insert(name).inserted else { continue }
            let answer = try server.ask("GET", "/\(name)")
            #expect(answer.status == 200, "\(name)")
            #expect(answer["Content-Type"] == types[String(name.split(separator: ".").last ?? "")], "\(name)")
            let policy = answer["Content-Security-Policy"] ?? ""
            #expect(
                policy.contains("default-src 'none'") && policy.contains("script-src 'self'")
                    && !policy.contains("unsafe"))
            #expect(answer["X-Content-Type-Options"] == "nosniff" && answer["Referrer-Policy"] == "no-referrer")
            if name.hasSuffix(".js") {
                waiting.formUnion(names(in: answer.text, after: ["from './", "import('./", "import './"]))
            }
        }
        #expect(seen.isSuperset(of: ["graph.js", "luthier.js", "streams.js", "pointer.js"]))
    }

    @Test func `a browser that has a file gets 304`() throws {
        let server = try Service.shared()
        let answer = try server.ask("GET", "/style.css")
        let again = try server.ask("GET", "/style.css", nil, ["If-None-Match": "\"\(answer.tag)\""])
        #expect(again.status == 304 && again.body.isEmpty && again.tag == answer.tag)
        let head = try server.ask("HEAD", "/style.css")
        #expect(head.status == 200 && head["Content-Length"] == "\(answer.body.count)" && head.tag == answer.tag)
        #expect(try server.ask("GET", "/main.js").tag != answer.tag)
    }

    @Test(arguments: ["/nothing.js", "/index.html", "/Console", "/..%2fmain.js", "/style.css/x"])
    func `a path outside the console's files is 404`(_ path: String) throws {
        #expect(try Service.shared().ask("GET", path).isProblem("no-such-path", 404))
    }

    @Test func `the page needs no token, because it asks for one`() throws {
        let server = try Service("--memory", environment: ["HEADWATER_TOKEN": "secret"])
        #expect(try server.ask("GET", "/").status == 200 && server.ask("GET", "/main.js").status == 200)
        #expect(try server.ask("GET", "/v1/spaces/a/graph").status == 401)
        #expect(try server.ask("GET", "/v1/spaces/a/user/title/why").status == 401)
        #expect(try server.ask("GET", "/v1/spaces/a/graph?access_token=secret").status == 200)
    }
}
