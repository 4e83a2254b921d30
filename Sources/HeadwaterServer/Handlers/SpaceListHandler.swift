import Ground
import HTTP
import JSON
import Sockets
import StateStore

/// The handler of the list of spaces.
final class SpaceListHandler {
    /// The spaces of one page at most, and those of a page with details.
    static let listLimit = 1_000
    static let detailsLimit = 100

    private let journalWriter: any JournalWriter
    private let executor: LoopExecutor
    private let cursors: Cursors

    init(_ journalWriter: any JournalWriter, _ executor: LoopExecutor, _ cursors: Cursors) {
        self.journalWriter = journalWriter
        self.executor = executor
        self.cursors = cursors
    }

    /// A request for a page.
    private struct PageRequest: Sendable {
        let after: SpaceName?
        let limit: Int
        let query: SpacePage.Query
        /// The parameters other than `after`, as the path of the next page has them.
        let parameters: String
    }

    /// Answers with a page of the spaces that the token covers.
    func list(_ route: Route, _ responder: Responder) {
        guard responder.hasRight(.admin, for: "this"), let asked = page(route, responder) else { return }
        let owned = Confined((handler: self, responder: responder))
        journalWriter.read(
            for: executor,
            { [token = responder.account.token] journal in
                do throws(JournalFailure) {
                    return Result<SpacePage, JournalFailure>.success(
                        try SpacePage(after: asked.after, limit: asked.limit, asked.query, of: token, journal))
                } catch {
                    return .failure(error)
                }
            },
            then: { result in
                let (handler, responder) = owned.value
                handler.send(result, asked, responder)
            })
    }

    /// Returns the page that a request names; answers 422 and returns nil if it cannot be read.
    private func page(_ route: Route, _ responder: Responder) -> PageRequest? {
        var query = SpacePage.Query()
        query.hasDetails = route.isOn("details")
        guard let asked = PageLimit.read(route, in: 1...Self.listLimit, standard: 100, responder) else { return nil }
        let limit = query.hasDetails ? min(asked, Self.detailsLimit) : asked
        var parameters = "limit=\(limit)"
        if query.hasDetails { parameters += "&details=1" }
        if let text = route["prefix"], !text.isEmpty {
            guard let prefix = SpacePrefix(text) else {
                responder.answer(Problem(.invalid, "prefix must be the beginning of a space's name"))
                return nil
            }
            query.prefix = prefix
            parameters += "&prefix=\(text)"
        }
        if let text = route["search"], !text.isEmpty {
            // A name can have the part after its first character.
            guard SpaceName("a\(text)") != nil else {
                responder.answer(
                    Problem(
                        .invalid,
                        "search must be a part of a space's name: letters, digits, dots, underscores or hyphens"))
                return nil
            }
            query.part = text.lowercased()
            parameters += "&search=\(text)"
        }
        guard let text = route["after"], !text.isEmpty else {
            return PageRequest(after: nil, limit: limit, query: query, parameters: parameters)
        }
        guard let name = SpaceName(text) ?? cursors.name(of: text) else {
            responder.answer(
                Problem(.invalid, "after must be the name of a space, or the value of next in an earlier answer"))
            return nil
        }
        return PageRequest(after: name, limit: limit, query: query, parameters: parameters)
    }

    private func send(
        _ result: Result<SpacePage, JournalFailure>, _ asked: PageRequest, _ responder: Responder
    ) {
        switch result {
        case .failure(let failure): responder.answer(Problem(failure))
        case .success(let page):
            var content = JSON.Object()
            content["spaces"] = .array(page.spaces.map(Self.json))
            if let last = page.last {
                // The last name that was looked at may be one that the token does not cover.
                let after = page.spaces.last?.name == last ? last.description : cursors.text(of: last)
                content["next"] = .string("/v1/spaces?after=\(after)&\(asked.parameters)")
            }
            responder.answer(now: .object(content))
        }
    }

    private static func json(_ space: SpacePage.ListedSpace) -> JSON {
        var row = JSON.Object()
        row["name"] = .string(space.name.description)
        row["version"] = .number(Decimal(space.version))
        if let summary = space.summary {
            if let at = summary.at { row["at"] = .string(RFC3339.text(microseconds: at.microseconds)) }
            row["bytes"] = .number(Decimal(summary.bytes))
            row["isWhole"] = .bool(summary.isWhole)
        }
        return .object(row)
    }
}
