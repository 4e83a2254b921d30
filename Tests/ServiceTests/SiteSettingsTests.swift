import Platform
import HTTP
import ServiceInProcess
import Testing

@testable import HeadwaterServer

/// The settings of a site, its fallback, and the files that it never serves.
@Suite struct SiteSettingsTests {
    private func folder(_ settings: String?) throws -> SiteFolder {
        let folder = try SiteFolder()
        try folder.write("index.html", "<title>Page</title>")
        try folder.write("app.js", "export {}")
        if let settings { try folder.write("headwater-site.json", settings) }
        return folder
    }

    @Test func `the fallback answers pages for paths without a file`() throws {
        let folder = try folder(#"{"fallback": "index.html", /* routes of the page */}"#)
        try folder.makeFolder("empty")
        let service = try ServiceInProcess(site: folder.path)
        for path in ["/projects/1", "/auth/callback?code=x&state=y", "/a/b/", "/empty/"] {
            let reply = try service.ask("GET \(path)", ["Accept": "text/html,*/*;q=0.8"])
            #expect(reply.status == 200 && reply.body == "<title>Page</title>", "\(path): \(reply)")
            #expect(reply["Content-Type"] == "text/html; charset=utf-8" && reply["Vary"]?.contains("Accept") == true)
            let tag = try #require(reply["ETag"])
            #expect(try service.ask("GET \(path)", ["Accept": "text/html", "If-None-Match": tag]).status == 304)
        }
        #expect(try service.ask("HEAD /projects/1", ["Accept": "text/html"]).status == 200)
        #expect(try service.ask("GET /projects/1", ["Accept": "application/json"]).status == 404)
        #expect(try service.ask("GET /projects/1", ["Accept": "image/*, */*;q=0"]).status == 404)
        for path in ["/logo.png", "/a/b.js", "/.env", "/.git/config"] {
            #expect(try service.ask("GET \(path)", ["Accept": "text/html"]).status == 404, "\(path)")
        }
        #expect(try service.ask("POST /projects/1", ["Accept": "text/html"], "{}").status == 405)
        #expect(try service.ask("GET /v1/nothing", ["Accept": "text/html"]).status == 404)
        #expect(try service.ask("GET /app.js", ["Accept": "text/html"]).body == "export {}")
        let bare = try self.folder(nil)
        let plain = try ServiceInProcess(site: bare.path)
        #expect(try plain.ask("GET /projects/1", ["Accept": "text/html"]).status == 404)
    }

    @Test func `settings that are read again hold for files that are in memory`() throws {
        let folder = try folder(#"{"connect": ["https://a.example.org"]}"#)
        try folder.age("index.html")
        let site = Site(folder.path, settings: try SiteSettings(of: folder.path), isThreaded: false)
        let path = try #require(SitePath(["index.html"]))
        func policy() -> String? {
            let found = Lock<SiteFile?>(nil)
            site.find(path) { if case .file(let file) = $0 { found.with { $0 = file } } }
            return found.with { $0 }?.asset.fields.first { "\($0.0)" == "Content-Security-Policy" }?.1
        }
        #expect(policy()?.contains("https://a.example.org") == true)
        try folder.write("headwater-site.json", #"{"connect": ["https://b.example.org"], "fallback": "index.html"}"#)
        try site.readSettings()
        #expect(policy()?.contains("https://b.example.org") == true && site.settings.fallback == path)
        try folder.write("headwater-site.json", "{")
        #expect(throws: CommandFault.self) { try site.readSettings() }
        #expect(policy()?.contains("https://b.example.org") == true)
    }

    @Test func `the policy permits the origins of the settings, and without them is as strict as before`() throws {
        let settings =
            #"{"connect": ["https://login.example.org", "http://localhost:3000"], "images": ["https://i.example.org:8443"], "frames": ["https://login.example.org"]}"#
        let (open, closed) = (try folder(settings), try folder(nil))
        let service = try ServiceInProcess(site: open.path)
        let policy = try #require(try service.ask("GET /")["Content-Security-Policy"])
        #expect(policy.contains("connect-src 'self' https://login.example.org http://localhost:3000;"), "\(policy)")
        #expect(policy.contains("img-src 'self' data: blob: https://i.example.org:8443;"))
        #expect(policy.contains("frame-src 'self' https://login.example.org;"))
        let strict = try ServiceInProcess(site: closed.path)
        let own = try #require(try strict.ask("GET /")["Content-Security-Policy"])
        #expect(own.contains("connect-src 'self';") && own.contains("img-src 'self' data: blob:;"))
        #expect(!own.contains("frame-src"))
    }

    @Test(arguments: [
        "[]", "{", #"{"fallback": "no.html"}"#, #"{"fallback": "../outside/index.html"}"#, #"{"fallback": 1}"#,
        #"{"conect": []}"#, #"{"connect": "https://a.b"}"#, #"{"connect": ["http://a.example.org"]}"#,
        #"{"connect": ["https://*.example.org"]}"#, #"{"connect": ["*"]}"#, #"{"connect": ["https://a.b/path"]}"#,
        #"{"connect": ["https://a.b 'unsafe-inline'"]}"#, #"{"images": ["https://a.b; script-src *"]}"#,
        #"{"frames": ["https://user@a.b"]}"#, #"{"connect": ["https://"]}"#, #"{"connect": ["data:"]}"#,
        #"{"connect": ["https://a.b:"]}"#, #"{"connect": ["ftp://localhost"]}"#, #"{"connect": [1]}"#,
    ])
    func `other settings are refused`(_ text: String) throws {
        let folder = try folder(text)
        #expect(throws: CommandFault.self) { try SiteSettings(of: folder.path) }
    }

    @Test func `documents, the settings, and files that options name are never served`() throws {
        let folder = try folder(#"{}"#)
        let document = "// mine\n{\"feature\": \"a\", \"home\": \"space\",}"
        try folder.write("app.json", document)
        try folder.write("app.JSON", document)
        try folder.write("app.jsonc", document)
        try folder.write("broken.json", "{\"feature\": \"a\", \"home\": ")
        try folder.write("data.json", "{\"feature\": \"a\"}")
        try folder.write("tokens.txt", "x")
        try folder.write(".hidden", "x")
        try folder.link("shown.txt", to: ".hidden")
        try folder.link("copy.txt", to: "app.json")
        try folder.link("settings.txt", to: "headwater-site.json")
        let site = Site(folder.path, excluding: ["\(folder.path)/tokens.txt"], isThreaded: false)
        func finding(_ name: String) throws -> Bool {
            let isThere = Lock(false)
            site.find(try #require(SitePath([name]))) { if case .file = $0 { isThere.with { $0 = true } } }
            return isThere.with { $0 }
        }
        let names = [
            "app.json", "app.JSON", "app.jsonc", "broken.json", "tokens.txt", "shown.txt", "copy.txt", "settings.txt",
            "headwater-site.json",
        ]
        for name in names { #expect(try !finding(name), "\(name)") }
        #expect(try finding("data.json") && finding("index.html"))
    }

    @Test(arguments: [
        ("assets/index-B3xY91kQ.js", true), ("app.3f2a9c1b.css", true), ("logo.0a1b2c3d4e5f.svg", true),
        ("app.js", false), ("index-template.js", false), ("report-20241231.pdf", false), ("a.b.c", false),
        ("page-B3xY91kQ.html", false), ("jquery-3.7.1.min.js", false), ("3f2a9c1b.css", false),
    ])
    func `a file with a digest in its name is kept by browsers`(_ name: String, _ isKept: Bool) throws {
        #expect(SiteFile.hasDigest(name) == isKept)
        let folder = try folder(nil)
        let last = String(name.split(separator: "/").last ?? "")
        try folder.write(last, "x")
        let reply = try ServiceInProcess(site: folder.path).ask("GET /\(last)")
        #expect(reply["Cache-Control"] == (isKept ? "public, max-age=31536000, immutable" : "no-cache"))
    }
}
