import JSON
import ServiceInProcess
import Testing

/// The client for browsers, as it is served. `Scripts/console` tests what it does.
@Suite struct ClientFilesTests {
    @Test func `the client and its types are served, each with its type and a tag, without a token`() throws {
        let service = try ServiceInProcess(tokenFile: "")
        for (path, type) in [
            ("/client.js", "text/javascript; charset=utf-8"), ("/client.d.ts", "text/plain; charset=utf-8"),
            ("/offline.js", "text/javascript; charset=utf-8"), ("/mirror.js", "text/javascript; charset=utf-8"),
        ] {
            let reply = try service.ask("GET \(path)", ["Host": "example.org"])
            #expect(reply.status == 200 && reply["Content-Type"] == type, "\(path)")
            #expect(
                reply["Cache-Control"] == "no-cache"
                    && reply.body.contains(path.hasPrefix("/offline") ? "caches" : "settings"))
            let tag = try #require(reply["ETag"])
            let again = try service.ask("GET \(path)", ["Host": "example.org", "If-None-Match": tag])
            #expect(again.status == 304 && again.body.isEmpty)
            #expect(try service.ask("POST \(path)", ["Host": "example.org"]).status == 405)
        }
        #expect(try service.ask("GET /client.js/x", ["Host": "example.org"]).status != 200)
    }

    @Test(arguments: [("/client.js", 10_000), ("/mirror.js", 20_000)])
    func `the client has at most 10 kB in gzip, the mirror 20`(_ path: String, _ limit: Int) throws {
        let service = try ServiceInProcess()
        let reply = try service.ask("HEAD \(path)", ["Accept-Encoding": "gzip"])
        let bytes = try #require(reply["Content-Length"].flatMap { Int($0) })
        #expect(bytes > 1_000 && bytes <= limit)
    }

    @Test func `a file of the site does not replace the client`() throws {
        let folder = try SiteFolder()
        try folder.write("client.js", "FILE")
        let service = try ServiceInProcess(site: folder.path)
        #expect(try service.ask("GET /client.js").body != "FILE")
    }

    @Test func `the list of the site has each file with its hash, and none that is hidden`() throws {
        let folder = try SiteFolder()
        try folder.write("index.html", "page")
        try folder.makeFolder("a")
        try folder.write("a/b.js", "code")
        try folder.write(".secret", "no")
        let service = try ServiceInProcess(site: folder.path)
        let list = try service.ask("GET /site.json").json
        guard case .object(let files)? = list["files"], case .string(let hash)? = list["hash"] else {
            Issue.record("\(list)")
            return
        }
        #expect(files.map(\.key) == ["/a/b.js", "/client.js", "/index.html", "/mirror.js"])
        #expect(files["/index.html"] == "NmAxWprz3yVdjxmrB35Hl4IrQUiKDioEvGr3EhPCMnQ")
        try folder.write("index.html", "another page")
        let next = try service.ask("GET /site.json").json
        #expect(next["hash"] != .string(hash) && next["files"]?["/a/b.js"] == list["files"]?["/a/b.js"])
        #expect(try ServiceInProcess().ask("GET /site.json").status == 404)
    }
}
