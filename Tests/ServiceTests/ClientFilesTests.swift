import ServiceInProcess
import Testing

/// The client for browsers, as it is served. `Scripts/console` tests what it does.
@Suite struct ClientFilesTests {
    @Test func `the client and its types are served, each with its type and a tag, without a token`() throws {
        let service = try ServiceInProcess(tokenFile: "")
        for (path, type) in [
            ("/client.js", "text/javascript; charset=utf-8"), ("/client.d.ts", "text/plain; charset=utf-8"),
        ] {
            let reply = try service.ask("GET \(path)", ["Host": "example.org"])
            #expect(reply.status == 200 && reply["Content-Type"] == type, "\(path)")
            #expect(reply["Cache-Control"] == "no-cache" && reply.body.contains("settings"))
            let tag = try #require(reply["ETag"])
            let again = try service.ask("GET \(path)", ["Host": "example.org", "If-None-Match": tag])
            #expect(again.status == 304 && again.body.isEmpty)
            #expect(try service.ask("POST \(path)", ["Host": "example.org"]).status == 405)
        }
        #expect(try service.ask("GET /client.js/x", ["Host": "example.org"]).status != 200)
    }

    @Test func `the client has less than 6 kB`() throws {
        let service = try ServiceInProcess()
        let bytes = try service.ask("GET /client.js").body.utf8.count
        #expect(bytes > 1_000 && bytes < 6_000)
    }

    @Test func `a file of the site does not replace the client`() throws {
        let folder = try SiteFolder()
        try folder.write("client.js", "FILE")
        let service = try ServiceInProcess(site: folder.path)
        #expect(try service.ask("GET /client.js").body != "FILE")
    }
}
