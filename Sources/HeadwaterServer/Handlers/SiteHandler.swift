import Ground
import HTTP
import Sockets

/// The handler of the site's files.
final class SiteHandler {
    private let site: Site?
    private let executor: LoopExecutor

    init(_ site: Site?, _ executor: LoopExecutor) {
        self.site = site
        self.executor = executor
    }

    /// Answers with the file of a path, in this turn if the file is in memory.
    func read(_ request: borrowing Request, _ path: SitePath, _ responder: Responder) {
        guard let site else { return Self.answer(.nothing, path, known: nil, responder) }
        let known = request.field(.ifNoneMatch)
        if let finding = site.known(path) { return Self.answer(finding, path, known: known, responder) }
        let owned = Confined(responder)
        site.find(path) { [executor] finding in
            executor.post { Self.answer(finding, path, known: known, owned.value) }
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

    /// Answers with a redirection to the path of a directory (RFC 9110, section 15.4.9).
    static func redirect(to target: String, _ responder: Responder) {
        responder.answer(Status(308), nil, []) { writer in
            writer.field("Location", target)
            writer.field("Cache-Control", "no-cache")
        }
    }

    private static func answer(_ finding: Site.Finding, _ path: SitePath, known: String?, _ responder: Responder) {
        switch finding {
        case .file(let file): file.asset.answer(known: known, responder)
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
