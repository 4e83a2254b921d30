import Ground
import HTTP
import JSON
import Sockets

/// The handler of the site's files.
final class SiteHandler {
    private let site: Site?
    private let executor: LoopExecutor
    private let livePage: LivePage?

    init(_ site: Site?, _ executor: LoopExecutor, _ livePage: LivePage? = nil) {
        self.site = site
        self.livePage = livePage
        self.executor = executor
    }

    /// Answers with the state that the script of `headwater dev` looks at.
    func answerLive(_ responder: Responder) {
        responder.answer(now: livePage?.json ?? [:])
    }

    /// Answers with the file of a path, in this turn if the file is in memory; or with the fallback of the site, if there
    /// is no such file and the request is for a page.
    func read(_ request: borrowing Request, _ path: SitePath, _ responder: Responder) {
        guard let site else { return Self.answer(.nothing, path, Preferences(), responder) }
        let wanted = Preferences(
            known: request.field(.ifNoneMatch),
            takesBrotli: request.field(.acceptEncoding).map(ContentCoding.takesBrotli) ?? false)
        let fallback = Self.wantsPage(request, path) ? site.settings.fallback : nil
        find(path, site, responder) { [self] finding, responder in
            guard case .nothing = finding, let fallback else {
                return Self.answer(finding, path, wanted, responder)
            }
            find(fallback, site, responder) { finding, responder in
                Self.answer(finding, fallback, wanted, isFallback: true, responder)
            }
        }
    }

    /// Answers with the list of the files and their hashes.
    func list(_ responder: Responder) {
        guard let site else {
            return responder.answer(Problem(.noSuchPath, "the server has no site: start it with --site DIR"))
        }
        let owned = Confined(responder)
        site.list { [executor] manifest in executor.post { owned.value.answer(now: manifest.json) } }
    }

    private func find(
        _ path: SitePath, _ site: Site, _ responder: Responder, then: @escaping (Site.Finding, Responder) -> Void
    ) {
        if let finding = site.known(path) { return then(finding, responder) }
        let owned = Confined((responder: responder, then: then))
        site.find(path) { [executor] finding in
            executor.post { owned.value.then(finding, owned.value.responder) }
        }
    }

    /// Returns true if a request accepts a page, and its last segment has no dot.
    private static func wantsPage(_ request: borrowing Request, _ path: SitePath) -> Bool {
        let last = path.isDirectory ? "" : path.file.split(separator: "/").last ?? ""
        guard !last.contains(".") else { return false }
        return request.field(.accept).map { Acceptance($0).quality(of: "text", "html") > 0 } ?? true
    }

    /// Answers with a redirection to the path of a directory (RFC 9110, section 15.4.9).
    static func redirect(to target: String, _ responder: Responder) {
        responder.answer(Status(308), nil, []) { writer in
            writer.field("Location", target)
            writer.field("Cache-Control", "no-cache")
        }
    }

    /// The wishes of a request: the tags that the client has, and the coding.
    private struct Preferences {
        var known: String?
        var takesBrotli = false
    }

    private static func answer(
        _ finding: Site.Finding, _ path: SitePath, _ wanted: Preferences, isFallback: Bool = false,
        _ responder: Responder
    ) {
        switch finding {
        case .file(let file):
            file.asset.answer(known: wanted.known, takesBrotli: wanted.takesBrotli, responder) { writer in
                if isFallback { writer.field("Vary", "Accept") }
            }
        case .directory: redirect(to: path.target, responder)
        case .nothing:
            responder.answer(
                Problem(.noSuchPath, "the site has no such file; GET /v1 lists features, actions and views"))
        case .tooLarge:
            let limit = Site.fileBytesLimit >> 20
            responder.answer(
                Problem(.noSuchPath, "the file has more than \(limit) MiB: serve it with another server"))
        }
    }
}
