import HTTP
import JSON
import StateStore
import Sockets

/// Spaces as such.
extension Desk {
    /// How many spaces are listed at once at the most.
    static let listLimit = 1_000

    func describe(_ space: SpaceName, _ request: borrowing Request, _ exchange: Exchange) {
        let known = request.field(.ifNoneMatch).flatMap { EntityTags($0) }
        guard known != nil || !request.has(.ifNoneMatch) else {
            return answer(exchange, Problem(.badRequest, "If-None-Match holds tags in quotation marks, separated by commas, or *"))
        }
        store.read([], in: space) { [self] result in
            switch result {
            case .failure(let refusal): answer(exchange, Problem(refusal))
            case .success(let reading):
                let version = space == .common ? reading.moment.common : reading.moment.version
                let tag = changes.tag(of: version)
                if let known, changes.matches(known, version, of: space) { return delivery.sendUnchanged(exchange, tag: tag, wait: nil) }
                let path = "/v1/spaces/\(space)"
                let content: JSON = [
                    "name": .string(space.description), "version": .number(Decimal(version)),
                    "links": [
                        "self": .string(path), "views": .string("\(path)/views"), "changes": .string("\(path)/changes"), "index": "/v1",
                    ],
                ]
                exchange.answer(.ok, "application/json", content.written) { [self] writer in
                    writer.field("ETag", "\"\(tag)\"")
                    writer.field("Cache-Control", "no-cache")
                    addOriginFields(exchange.connection, &writer)
                }
            }
        }
    }

    func forget(_ space: SpaceName, _ request: borrowing Request, _ exchange: Exchange, _ account: Account) {
        guard account.token.right >= .admin else { return refuse(exchange, account, .admin) }
        guard let value = request.field(.ifMatch) else { return forget(space, exchange) }
        guard let tags = EntityTags(value) else {
            return answer(exchange, Problem(.badRequest, "If-Match holds tags in quotation marks, separated by commas, or *"))
        }
        // Only what is still as it was seen is forgotten.
        store.read([], in: space) { [self] result in
            switch result {
            case .failure(let refusal): answer(exchange, Problem(refusal))
            case .success(let reading):
                let version = reading.moment.version
                guard tags.isAny ? version > 0 : changes.isAnyOf(tags.tags, version, of: space) else {
                    let tag = changes.tag(of: version)
                    return answer(exchange, Problem(Refusal.changed(version: version))) { $0.field("ETag", "\"\(tag)\"") }
                }
                forget(space, exchange)
            }
        }
    }

    private func forget(_ space: SpaceName, _ exchange: Exchange) {
        store.forget(space) { [self] result in
            switch result {
            case .failure(let refusal): answer(exchange, Problem(refusal))
            case .success(false): answer(exchange, Problem(.noSuchSpace, "there is no space \(space): it begins with its first action"))
            case .success(true):
                changes.endAll(of: space)
                delivery.noteForgotten(space)
                exchange.answer(Status(204), nil, []) { [self] in addOriginFields(exchange.connection, &$0) }
            }
        }
    }

    func listSpaces(_ route: Route, _ exchange: Exchange, _ account: Account) {
        guard account.token.right >= .admin else { return refuse(exchange, account, .admin) }
        var limit = 100
        if let text = route["limit"] {
            guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text), (1...Self.listLimit).contains(number) else {
                return answer(exchange, Problem(.invalid, "limit is a number from 1 to \(Self.listLimit)"))
            }
            limit = number
        }
        var after: SpaceName?
        if let text = route["after"], !text.isEmpty {
            guard let name = SpaceName(text) ?? service.cursors.name(of: text) else {
                return answer(exchange, Problem(.invalid, "after is the name of a space, or what next was given as"))
            }
            after = name
        }
        let owned = OnLoop((desk: self, exchange: exchange))
        service.keeper.read(
            for: service.homes[index],
            { [limit, after, token = account.token] journal in
                do throws(JournalFailure) {
                    return Result<SpacePage, JournalFailure>.success(try SpacePage(after: after, limit: limit, of: token, journal))
                } catch {
                    return .failure(error)
                }
            },
            then: { [limit] result in
                let (desk, exchange) = owned.value
                desk.list(result, limit, exchange)
            })
    }

    private func list(_ result: Result<SpacePage, JournalFailure>, _ limit: Int, _ exchange: Exchange) {
        switch result {
        case .failure(let failure): answer(exchange, Problem(failure))
        case .success(let page):
            var content = JSON.Object()
            content["spaces"] = .array(
                page.spaces.map { space in
                    ["name": .string(space.name.description), "version": .number(Decimal(space.version))]
                })
            if let last = page.last {
                // The token does not cover each name that was looked at.
                let after = page.spaces.last?.name == last ? last.description : service.cursors.text(of: last)
                content["next"] = .string("/v1/spaces?after=\(after)&limit=\(limit)")
            }
            exchange.answer(.ok, "application/json", JSON.object(content).written) { [self] writer in
                writer.field("Cache-Control", "no-store")
                addOriginFields(exchange.connection, &writer)
            }
        }
    }

    private func refuse(_ exchange: Exchange, _ account: Account, _ right: Right) {
        answer(exchange, Problem(.forbidden, "this needs the right \(right), and the token has \(account.token.right)"))
    }
}
