import Ground
import HTTP
import JSON
import StateStore

/// Reads of views as of a moment of the past, and of the difference between two moments.
///
/// A request is computed on the thread of the past; the loop only answers.
final class PastHandler {
    private let names: ViewNames
    private let tags: ViewTags
    private let changeTags: ChangeTags
    private let past: PastReader
    private let cache: PastCache
    private let journal: any Journal
    private let executor: LoopExecutor

    init(
        _ names: ViewNames, _ changes: ChangeFeed, _ past: PastReader, _ cache: PastCache, _ journal: any Journal,
        _ executor: LoopExecutor
    ) {
        self.names = names
        tags = changes.delivery.tags
        changeTags = changes.tags
        self.past = past
        self.cache = cache
        self.journal = journal
        self.executor = executor
    }

    // MARK: Views

    /// Reads one view, or several as an object, as of the point that the parameter `at` names.
    func read(
        _ request: borrowing Request, _ views: [ViewKey], isSingle: Bool, in space: SpaceName, _ route: Route,
        _ responder: Responder
    ) {
        let isUnnamed = views.isEmpty && !isSingle
        let views = isUnnamed ? names.all(in: space) : views
        if let missing = views.first(where: { !names.has($0, in: space) }) {
            return responder.answer(names.noView(missing, in: space))
        }
        guard let point = point(of: request, in: space, route, responder),
            let known = KnownTags(of: request, .ifNoneMatch, responder)
        else { return }
        guard let permit = names.permit(views, in: space, responder) else { return }
        names.check(permit, leavingOut: isUnnamed, responder) { [self] permit in
            read(permit, isSingle: isSingle, isUnnamed: isUnnamed, at: point, known, route, responder)
        }
    }

    private func read(
        _ permit: ReadPermit, isSingle: Bool, isUnnamed: Bool, at point: PointParameter, _ known: KnownTags,
        _ route: Route, _ responder: Responder
    ) {
        let space = permit.space
        // A later document defines the views otherwise.
        let definesByPresent = route["definition"] != nil
        let isWhole = point.opaque != nil && !definesByPresent
        var key: PastCache.Key?
        if case .views(let tag)? = point.tag, !definesByPresent {
            let whole = PastCache.Key(
                permit: permit, reader: responder.account.caller, isSingle: isSingle,
                tag: "\(tag.versions.text)-\(tag.opaque)",
                erasures: journal.erasureCount)
            key = whole
            if let answer = cache[whole], point.isOfThisLife(space, tags, journal.lives) {
                return send(answer, known.tags, isWhole: isWhole, route, responder)
            }
        }
        past.run(for: executor, by: responder.asker(permit.space)) { [tags] context throws(PastRefusal) in
            try PastAnswer(
                permit, isSingle: isSingle, at: point, tags, leavingOut: isUnnamed,
                definesByPresent: definesByPresent, context)
        } then: { [self, key = key] result in
            switch result {
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success(let answer):
                if let key { cache.keep(answer, as: key) }
                send(answer, known.tags, isWhole: isWhole, route, responder)
            }
        }
    }

    private func send(
        _ answer: PastAnswer, _ known: EntityTags?, isWhole: Bool, _ route: Route, _ responder: Responder
    ) {
        if let failure = answer.failure { return responder.answer(Problem(failure.failure, of: failure.view)) }
        let fields = PastFields(answer.tag, answer.time, route, isWhole: isWhole)
        if let known, known.mean(opaque: answer.opaque) {
            let element = known.element { ViewTag($0).map { $0.opaque == answer.opaque } ?? false }
            return responder.answer(Status(304), nil, []) { fields.write(to: &$0, element: element) }
        }
        responder.answer(.ok, "application/json", answer.content) { fields.write(to: &$0) }
    }

    // MARK: The space

    /// Describes a space as of the point that the parameter `at` names.
    func describe(_ request: borrowing Request, _ space: SpaceName, _ route: Route, _ responder: Responder) {
        guard let point = point(of: request, in: space, route, responder),
            let known = KnownTags(of: request, .ifNoneMatch, responder)
        else { return }
        past.run(for: executor, by: responder.asker(space)) { [tags] context throws(PastRefusal) in
            guard point.isOfThisLife(space, tags, context.journal.lives) else {
                throw .gone(space, oldest: try context.journal.oldestVersion(of: space))
            }
            let version = try context.journal.version(of: space, at: point.point)
            return PastHead(version: version, time: try context.journal.state(of: space, at: version).head?.at)
        } then: { [self] result in
            switch result {
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success(let head):
                var isWhole = false
                if case .space? = point.tag { isWhole = true }
                let fields = PastFields(changeTags.tag(of: head.version, in: space), head.time, route, isWhole: isWhole)
                if let tags = known.tags, changeTags.matches(tags, head.version, of: space) {
                    let element = tags.element { changeTags.isAny(of: [$0], head.version, of: space) }
                    return responder.answer(Status(304), nil, []) { fields.write(to: &$0, element: element) }
                }
                let content = SpaceHandler.description(of: space, at: head.version)
                responder.answer(.ok, "application/json", content) { fields.write(to: &$0) }
            }
        }
    }

    /// A version of a space, and the time of its commit.
    private struct PastHead: Sendable {
        let version: Int
        let time: Timestamp?
    }

    /// Returns the point that `at` names; or answers why the request cannot be answered, and returns nil.
    private func point(
        of request: borrowing Request, in space: SpaceName, _ route: Route, _ responder: Responder
    ) -> PointParameter? {
        guard let mode = ReadMode(of: request, route, responder) else { return nil }
        if mode.isStream || route.wait != nil || route.since != nil {
            responder.answer(
                Problem(
                    .invalid,
                    "the past does not change, so at cannot be combined with events, wait or since: …/history has events"
                ))
            return nil
        }
        guard let point = PointParameter(route.at ?? "", of: space) else {
            responder.answer(.unreadablePoint("at"))
            return nil
        }
        return point
    }

    // MARK: Differences

    /// Answers with the patches that turn the views of one moment into those of another.
    func compare(_ request: borrowing Request, in space: SpaceName, _ route: Route, _ responder: Responder) {
        let views = route.views.isEmpty ? names.allKept(in: space) : route.views
        if let missing = views.first(where: { !names.has($0, in: space) }) {
            return responder.answer(names.noView(missing, in: space))
        }
        guard let from = PointParameter(route["from"] ?? "", of: space) else {
            return responder.answer(.unreadablePoint("from"))
        }
        guard let to = PointParameter(route["to"] ?? "", of: space) else {
            return responder.answer(.unreadablePoint("to"))
        }
        guard let known = KnownTags(of: request, .ifNoneMatch, responder) else { return }
        guard let permit = names.permit(views, in: space, responder) else { return }
        names.check(permit, leavingOut: route.views.isEmpty, responder) { [self] permit in
            compare(permit, isUnnamed: route.views.isEmpty, from: from, to: to, known, responder)
        }
    }

    private func compare(
        _ permit: ReadPermit, isUnnamed: Bool, from: PointParameter, to: PointParameter, _ known: KnownTags,
        _ responder: Responder
    ) {
        past.run(for: executor, by: responder.asker(permit.space)) { [tags] context throws(PastRefusal) in
            try PastDifference(of: permit, leavingOut: isUnnamed, from: from, to: to, tags, context)
        } then: { result in
            switch result {
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success(let difference):
                if let tags = known.tags, tags.mean(opaque: difference.opaque) {
                    return responder.answerUnchanged(tag: difference.tag)
                }
                responder.answer(difference.content, tag: difference.tag)
            }
        }
    }
}

/// The fields of an answer with a state of the past.
struct PastFields {
    /// The tag of the state, and the path of its resource with that tag.
    let tag: String
    let location: String
    /// The time since which the state was so; nil before the first commit.
    let time: Timestamp?
    /// True if the request named the whole tag: then the answer never changes.
    let isWhole: Bool

    /// The fields of a state with a tag.
    init(_ tag: String, _ time: Timestamp?, _ route: Route, isWhole: Bool) {
        self.tag = tag
        self.time = time
        self.isWhole = isWhole
        location = Self.location(route, tag)
    }

    /// Writes the fields. `element` is the tag as the client sent it, for a 304.
    func write(to writer: inout FieldWriter, element: String? = nil) {
        writer.field("ETag", element ?? "\"\(tag)\"")
        if isWhole {
            writer.field("Cache-Control", "private, max-age=31536000, immutable")
        } else {
            writer.field("Cache-Control", "no-cache")
        }
        // Before its first commit a state was so from the beginning.
        let seconds = (time?.microseconds ?? 0).floorDivided(by: 1_000_000)
        writer.field("Memento-Datetime", HTTPDate(seconds: seconds).text)
        writer.field("Content-Location", location)
        writer.field("Vary", "Accept, Accept-Encoding")
    }

    /// Returns the target of a request with the whole tag as `at`, and without a token.
    private static func location(_ route: Route, _ tag: String) -> String {
        let target = String(decoding: route.target, as: UTF8.self)
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var pairs: [String] = []
        let written = parts.count == 2 ? parts[1].split(separator: "&") : []
        for (pair, parameter) in zip(written, route.parameters) {
            switch parameter.name {
            case "at": pairs.append("at=\(tag)")
            case let name where QueryParameters.credentials.contains(name): break
            default: pairs.append(String(pair))
            }
        }
        return "\(parts[0])?\(pairs.joined(separator: "&"))"
    }
}
