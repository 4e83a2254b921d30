import ServiceInProcess
import Testing

@testable import HeadwaterServer

/// The digests by which a page's own scripts may run.
@Suite struct InlineScriptsTests {
    private static let alert = " 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"
    private static let lines = " 'sha256-Cx4O+IadEsAjQ8qwm6BS4yBJmS8VtjUrAgabyTk27KQ='"
    private static let comparison = " 'sha256-RnF+9qVtgcapNH6/1W8qLzPMlSrW45aMGDWPfigoly0='"

    @Test(arguments: [
        ("", ""), ("<p>none</p>", ""), ("<scripts>alert(1)</scripts>", ""), ("<script", ""), ("<script>alert(1)", ""),
        ("<", ""), ("<script>alert(1)</scrip", ""),
        ("<script>alert(1)</script>", alert), ("<SCRIPT>alert(1)</Script>", alert),
        ("<script type=\"module\">alert(1)</script >", alert), ("<script\ntype='a>b'>alert(1)</script>", alert),
        ("<script/>alert(1)</script>", alert), ("\u{FEFF}<script>alert(1)</script>", alert),
        ("<script>\n  let a = 1\n</script>", lines), ("<script>\r\n  let a = 1\r\n</script>", lines),
        ("<script>\r  let a = 1\r</script>", lines),
        ("<script>if (1 > 0) {}</script><i><script>alert(1)</script>", comparison + alert),
    ])
    func `each script element has the digest of its text as a browser reads it`(_ page: String, _ sources: String) {
        #expect(InlineScripts.sources(in: Array(page.utf8)) == sources)
    }

    @Test func `any bytes have digests, and no more than fit a header field`() {
        let many = String(repeating: "<script>alert(1)</script>", count: InlineScripts.scriptsLimit + 1)
        #expect(
            InlineScripts.sources(in: Array(many.utf8))
                == String(repeating: Self.alert, count: InlineScripts.scriptsLimit))
        var entropy = Entropy(seed: 7)
        let parts = ["<script", "</script", ">", "\"", "'", "<", "\r", "\n", "a", "\u{FEFF}", " ", "/"].map {
            Array($0.utf8)
        }
        for _ in 0..<2_000 {
            let page = (0..<entropy.below(20)).flatMap { _ in
                entropy.isOne(in: 6) ? [entropy.byte()] : entropy.one(of: parts)
            }
            let sources = InlineScripts.sources(in: page)
            #expect(sources.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x3B }, "\(page)")
        }
    }

    @Test func `a page's policy permits its scripts, and no others`() throws {
        let folder = try SiteFolder()
        try folder.write("index.html", "<script>alert(1)</script>")
        try folder.write("other.html", "<p>")
        let service = try ServiceInProcess(site: folder.path)
        let policy = try service.ask("GET /")["Content-Security-Policy"] ?? ""
        #expect(policy.contains("script-src 'self' 'wasm-unsafe-eval'\(Self.alert);"))
        #expect(try service.ask("GET /other.html")["Content-Security-Policy"]?.contains("sha256") == false)
    }
}
