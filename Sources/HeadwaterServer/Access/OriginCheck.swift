import HTTP

/// The check of a request's host and origin, before its token: no page of another origin and no host name of another
/// machine reaches this server by way of a browser.
final class OriginCheck {
    private let access: AccessControl
    /// The authority that was last found to be a loopback one.
    private var knownAuthority: [UInt8] = []

    init(_ access: AccessControl) {
        self.access = access
    }

    /// Returns the reason to refuse a request, or nil. `isPage` is true if its path is a file of the console or
    /// of the site.
    func problem(of request: borrowing Request, isPage: Bool) -> Problem? {
        if !access.isClosed, !isLoopback(request) {
            return Problem(
                .misdirected,
                "without a token this server answers only to its own machine, as localhost or 127.0.0.1: use that name, or set HEADWATER_TOKEN"
            )
        }
        guard let origin = request.field(.origin) else {
            guard request.has(.secFetchSite), isOfForeignPage(request, isPage: isPage) else { return nil }
            return Problem(
                .foreignOrigin,
                "pages of other origins may not ask this server: --allow-origin lets them, with requests that say their origin"
            )
        }
        guard access.allows(origin: origin, authority: request.authority) else {
            return Problem(
                .foreignOrigin, "pages of \(origin) may not ask this server: --allow-origin \(origin) lets them")
        }
        return nil
    }

    /// Returns the origin of a request's page, if it is one that the answer has to name.
    func origin(of request: borrowing Request) -> String? {
        guard !access.origins.isEmpty, let origin = request.field(.origin) else { return nil }
        return access.origins.contains(origin) || access.origins.contains("*") ? origin : nil
    }

    /// Returns true if a browser says that the page is of another origin (Fetch Metadata), and the request names no
    /// origin that could be allowed. A link from any page may lead to a page of this server.
    private func isOfForeignPage(_ request: borrowing Request, isPage: Bool) -> Bool {
        if request.is(.secFetchSite, "same-origin") || request.is(.secFetchSite, "none") || access.origins.contains("*")
        {
            return false
        }
        return
            !(isPage && request.method == .get && request.is(.secFetchMode, "navigate")
            && request.is(.secFetchDest, "document"))
    }

    private func isLoopback(_ request: borrowing Request) -> Bool {
        if request.head.value(of: .host) == nil, request.authority == nil { return true }
        if !request.hasOwnAuthority, !knownAuthority.isEmpty, request.is(.host, knownAuthority) { return true }
        guard let text = request.authority, let authority = Authority(text), authority.isLoopback else { return false }
        knownAuthority = Array(text.utf8)
        return true
    }
}
