import Platform
import HTTP
import ServiceInProcess
import StateStore
import Testing

@testable import HeadwaterServer

/// The files of `--site`.
@Suite struct SiteTests {
    private func folder() throws -> SiteFolder {
        let folder = try SiteFolder()
        try folder.write("index.html", "<title>Own</title>")
        try folder.write("app.js", "export {}")
        try folder.makeFolder("docs")
        try folder.write("docs/index.html", "docs")
        try folder.write("docs/a b.txt", "spaces")
        try folder.makeFolder("empty")
        try folder.makeFolder(".git")
        try folder.write(".git/config", "SECRET")
        try folder.write(".env", "SECRET")
        return folder
    }

    @Test func `a file has its type, a tag of its content and a policy, and is revalidated`() throws {
        let folder = try folder()
        let service = try ServiceInProcess(site: folder.path)
        let reply = try service.ask("GET /app.js")
        #expect(reply.status == 200 && reply.body == "export {}" && reply["Content-Length"] == "9")
        #expect(reply["Content-Type"] == "text/javascript; charset=utf-8" && reply["Cache-Control"] == "no-cache")
        #expect(reply["X-Content-Type-Options"] == "nosniff")
        let policy = try #require(reply["Content-Security-Policy"])
        for part in [
            "default-src 'self'", "script-src 'self'", "connect-src 'self'", "object-src 'none'", "base-uri 'self'",
        ] { #expect(policy.contains(part), "\(part)") }
        #expect(!policy.contains("script-src 'self' 'unsafe-inline'"))
        let tag = try #require(reply["ETag"])
        let again = try service.ask("GET /app.js", ["If-None-Match": tag])
        #expect(again.status == 304 && again.body.isEmpty && again["ETag"] == tag)
        let head = try service.ask("HEAD /app.js")
        #expect(head.status == 200 && head.body.isEmpty && head["Content-Length"] == "9" && head["ETag"] == tag)
        // Ranges are not supported: the whole file is a valid answer (RFC 9110, section 14.2).
        #expect(try service.ask("GET /app.js", ["Range": "bytes=0-1"]).status == 200)
        #expect(try service.ask("GET /app.js?v=3&v=4").body == "export {}")
    }

    @Test(arguments: [
        ("a.HTML", "text/html; charset=utf-8"), ("a.css", "text/css; charset=utf-8"),
        ("a.mjs", "text/javascript; charset=utf-8"), ("a.json", "application/json"), ("a.svg", "image/svg+xml"),
        ("a.png", "image/png"), ("a.woff2", "font/woff2"), ("a.wasm", "application/wasm"),
        ("a.webmanifest", "application/manifest+json"), ("a.txt", "text/plain; charset=utf-8"),
        ("a", "application/octet-stream"), ("html", "application/octet-stream"), ("a.", "application/octet-stream"),
        ("a.b.js", "text/javascript; charset=utf-8"),
    ])
    func `the type follows from the extension`(_ name: String, _ type: String) {
        #expect("\(MediaType.of(name))" == type)
    }

    @Test func `a directory answers with its page, and without a slash redirects to the path with one`() throws {
        let folder = try folder()
        let service = try ServiceInProcess(site: folder.path)
        #expect(try service.ask("GET /").body == "<title>Own</title>")
        #expect(try service.ask("GET /index.html").body == "<title>Own</title>")
        #expect(try service.ask("GET http://localhost").body == "<title>Own</title>")
        #expect(try service.ask("GET /docs/").body == "docs")
        #expect(try service.ask("GET /docs/a%20b.txt").body == "spaces")
        let moved = try service.ask("GET /docs?a=b")
        #expect(moved.status == 308 && moved["Location"] == "/docs/")
        try folder.makeFolder("docs/ü %41")
        #expect(try service.ask("GET /docs/%C3%BC%20%2541")["Location"] == "/docs/%C3%BC%20%2541/")
        for path in ["/empty/", "/docs/index.html/", "/app.js/", "/nothing", "/nothing/"] {
            #expect(try service.ask("GET \(path)").status == 404, "\(path)")
        }
        #expect(try service.ask("GET /empty").status == 308)
    }

    @Test func `the server's own paths win over files`() throws {
        let folder = try folder()
        for name in ["v1", "console"] {
            try folder.makeFolder(name)
            try folder.write("\(name)/index.html", "FILE")
            try folder.write("\(name)/a.txt", "FILE")
        }
        let own = ["healthz", "readyz", "metrics", "openapi.yaml"]
        for name in own { try folder.write(name, "FILE") }
        let service = try ServiceInProcess(site: folder.path)
        for path in own.map({ "/\($0)" }) + ["/v1", "/%76%31", "/console/"] {
            let reply = try service.ask("GET \(path)")
            #expect(reply.status == 200 && reply.body != "FILE", "\(path)")
        }
        for path in ["/v1/", "/v1/a.txt", "/console/a.txt", "/console/index.html"] {
            #expect(try service.ask("GET \(path)").status == 404, "\(path)")
        }
    }

    @Test func `the console is under its own path, and without a site at the root too`() throws {
        let folder = try folder()
        let (with, without) = (try ServiceInProcess(site: folder.path), try ServiceInProcess())
        for service in [with, without] {
            #expect(try service.ask("GET /console/").body.contains("main.js"))
            #expect(try service.ask("GET /console/main.js")["Content-Type"] == "text/javascript; charset=utf-8")
            let moved = try service.ask("GET /console")
            #expect(moved.status == 308 && moved["Location"] == "/console/")
            #expect(try service.ask("GET /console/main.js/x").status == 404)
        }
        #expect(try without.ask("GET /main.js").body == with.ask("GET /console/main.js").body)
        #expect(try with.ask("GET /main.js").status == 404)
    }

    @Test func `a changed file is served anew at once, also with the same size`() throws {
        let folder = try folder()
        let service = try ServiceInProcess(site: folder.path)
        var tags: Set<String> = []
        for round in 0..<20 {
            try folder.write("app.js", "round \(10 + round)")
            let reply = try service.ask("GET /app.js")
            #expect(reply.body == "round \(10 + round)")
            tags.insert(reply["ETag"] ?? "")
        }
        #expect(tags.count == 20)
        folder.delete("app.js")
        #expect(try service.ask("GET /app.js").status == 404)
        try folder.write("app.js", "again")
        #expect(try service.ask("GET /app.js").body == "again")
    }

    @Test(arguments: [
        "/../outside/secret.txt", "/..%2foutside/secret.txt", "/..%2Foutside%2Fsecret.txt",
        "/%2e%2e/outside/secret.txt",
        "/.%2e/outside/secret.txt", "/docs/../../outside/secret.txt", "/docs/..%2f..%2foutside%2fsecret.txt",
        "/docs%2f..%2f..%2foutside/secret.txt", "/..%5coutside%5csecret.txt", "/..\\outside\\secret.txt",
        "/%2e%2e%5coutside/secret.txt", "//outside/secret.txt", "///etc/passwd", "/%2fetc%2fpasswd", "/%2e/index.html",
        "/./index.html", "/docs/./index.html", "/docs//index.html", "/index.html%00", "/index.html%00.txt", "/%00",
        "/.git/config", "/.env", "/%2eenv", "/docs%2findex.html", "/index.html%0a", "/..;/outside/secret.txt",
        "/....//outside/secret.txt", "/%c0%ae%c0%ae/outside/secret.txt", "/%252e%252e/outside/secret.txt",
        "/%u002e%u002e/outside/secret.txt", "/~root", "/app.js%2f", "/index.html/..", "/docs/..",
    ])
    func `a hostile path leads to nothing`(_ path: String) throws {
        let folder = try folder()
        let service = try ServiceInProcess(site: folder.path)
        for method in ["GET", "HEAD", "POST"] {
            let reply = try service.ask("\(method) \(path)")
            #expect([400, 404, 405].contains(reply.status) && !reply.body.contains("SECRET"), "\(method): \(reply)")
        }
    }

    @Test func `a link within the directory works, and one that leaves it leads to nothing`() throws {
        let folder = try folder()
        try folder.link("near.js", to: "app.js")
        try folder.link("absolute.js", to: folder.path + "/app.js")
        try folder.link("manual", to: "docs")
        try folder.link("secret.txt", to: "../outside/secret.txt")
        try folder.link("out", to: "../outside")
        try folder.link("far", to: "/")
        try folder.link("chain.txt", to: "secret.txt")
        try folder.link("loop", to: "loop")
        try folder.link("docs/up", to: "..")
        let service = try ServiceInProcess(site: folder.path)
        for path in ["/near.js", "/absolute.js", "/docs/up/app.js"] {
            #expect(try service.ask("GET \(path)").body == "export {}", "\(path)")
        }
        #expect(try service.ask("GET /manual/").body == "docs" && service.ask("GET /manual").status == 308)
        for path in [
            "/secret.txt", "/out", "/out/", "/out/secret.txt", "/far", "/far/", "/far/etc/passwd", "/chain.txt",
            "/loop", "/loop/a",
        ] { #expect(try service.ask("GET \(path)").status == 404, "\(path)") }
    }

    /// A site whose files count as unchanged for a long time, so that it keeps them.
    private func settled(_ folder: SiteFolder, cacheBytes: Int = Site.cacheBytesLimit) -> Site {
        Site(
            folder.path, isThreaded: false, cacheBytes: cacheBytes,
            clock: { Timestamp(microseconds: Timestamp.now.microseconds + 3_600_000_000) })
    }

    /// Returns the content of a file in memory, or nil if the site has to read it.
    private func known(_ name: String, in site: Site) throws -> String? {
        guard case .file(let file)? = site.known(try #require(SitePath([name]))) else { return nil }
        return String(decoding: file.asset.content.bytes, as: UTF8.self)
    }

    private func read(_ name: String, in site: Site) throws -> String? {
        let content = Lock<String?>(nil)
        site.find(try #require(SitePath([name]))) { finding in
            guard case .file(let file) = finding else { return }
            content.with { $0 = String(decoding: file.asset.content.bytes, as: UTF8.self) }
        }
        return content.with { $0 }
    }

    @Test func `a file in memory is not read again until it changes`() throws {
        let folder = try folder()
        let site = settled(folder)
        #expect(try known("app.js", in: site) == nil && read("app.js", in: site) == "export {}")
        #expect(try known("app.js", in: site) == "export {}")
        try folder.write("app.js", "changed!!")
        try folder.age("app.js")
        #expect(try known("app.js", in: site) == nil && read("app.js", in: site) == "changed!!")
        folder.delete("app.js")
        try folder.link("app.js", to: "../outside/secret.txt")
        #expect(try known("app.js", in: site) == nil && read("app.js", in: site) == nil)
        #expect(try known("app.js", in: site) == nil)
    }

    @Test func `the memory of files is bounded, and the file that was not used for longest goes first`() throws {
        let folder = try SiteFolder()
        for name in ["a", "b", "c"] { try folder.makeLarge(name, bytes: 4_000) }
        try folder.makeLarge("large", bytes: 20_000)
        let site = settled(folder, cacheBytes: 20_000)
        for name in ["a", "b"] { _ = try read(name, in: site) }
        #expect(try known("b", in: site) != nil && known("a", in: site) != nil)
        #expect(try read("c", in: site) != nil && read("large", in: site) != nil)
        #expect(try known("b", in: site) == nil && known("large", in: site) == nil)
        #expect(try known("a", in: site) != nil && known("c", in: site) != nil)
    }

    @Test func `a large text is compressed where it is read, and a small one or a picture is not`() throws {
        let folder = try SiteFolder()
        for (name, bytes, isCompressed) in [
            ("a.txt", 100_000, true), ("b.txt", 60_000, false), ("c.png", 100_000, false),
        ] {
            try folder.makeLarge(name, bytes: bytes)
            let site = settled(folder)
            #expect(try read(name, in: site)?.utf8.count == bytes)
            guard case .file(let file)? = site.known(try #require(SitePath([name]))) else {
                throw SiteFolder.CannotMake(place: name)
            }
            #expect(file.asset.content.hasGzip == isCompressed, "\(name)")
        }
    }

    @Test func `the directory itself may be a link that is switched`() throws {
        let (one, two) = (try SiteFolder(), try SiteFolder())
        try one.write("a.txt", "one")
        try two.write("a.txt", "two")
        let place = try SiteFolder()
        try place.link("current", to: one.path)
        let service = try ServiceInProcess(site: place.path + "/current")
        #expect(try service.ask("GET /a.txt").body == "one")
        place.delete("current")
        try place.link("current", to: two.path)
        #expect(try service.ask("GET /a.txt").body == "two")
    }

    @Test func `the server's own files are not served`() throws {
        let folder = try folder()
        try folder.makeFolder("data")
        try folder.write("data/journal.sqlite", "SECRET")
        try folder.write("tokens", "SECRET")
        try folder.write("tokens.txt", "public")
        try folder.link("other", to: "data")
        let site = Site(folder.path, excluding: ["\(folder.path)/data", "\(folder.path)/tokens"], isThreaded: false)
        for (names, isServed) in [
            (["data", "journal.sqlite"], false), (["data"], false), (["tokens"], false),
            (["other", "journal.sqlite"], false), (["tokens.txt"], true),
        ] {
            let path = try #require(SitePath(names))
            site.find(path) { finding in
                if case .file = finding { #expect(isServed, "\(names)") } else { #expect(!isServed, "\(names)") }
            }
        }
    }

    @Test func `only GET and HEAD work, and a file needs no token`() throws {
        let folder = try folder()
        let service = try ServiceInProcess(tokenFile: "", site: folder.path)
        #expect(try service.ask("GET /app.js", ["Host": "example.org"]).status == 200)
        #expect(try service.ask("GET /v1", ["Host": "example.org"]).status == 401)
        let refused = try service.ask("POST /app.js", [:], "{}")
        #expect(refused.status == 405 && refused["Allow"] == "GET, HEAD, OPTIONS")
    }

    @Test func `a link from another site leads to a page, and another site loads no file`() throws {
        let folder = try folder()
        let service = try ServiceInProcess(site: folder.path)
        let link = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"]
        #expect(try service.ask("GET /", link).status == 200)
        #expect(try service.ask("GET /docs/", link).status == 200)
        let load = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"]
        #expect(try service.ask("GET /app.js", load).status == 403)
    }

    @Test func `a file above the limit is refused in words, and one at the limit is served`() throws {
        let folder = try SiteFolder()
        try folder.makeLarge("large.bin", bytes: Site.fileBytesLimit + 1)
        let service = try ServiceInProcess(site: folder.path)
        let reply = try service.ask("GET /large.bin")
        #expect(reply.status == 404 && reply.body.contains("16 MiB"))
        try folder.makeLarge("large.bin", bytes: Site.fileBytesLimit)
        #expect(try service.ask("HEAD /large.bin")["Content-Length"] == "\(Site.fileBytesLimit)")
    }
}
