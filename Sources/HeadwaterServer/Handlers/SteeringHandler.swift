import HTTP
import JSON
import Reactive
import StateStore

/// The handler of streams that their clients steer: `POST /v1/live` opens one, `POST /v1/live/{stream}` changes it.
final class SteeringHandler {
    private let names: ViewNames
    private let live: LiveLoop
    /// The name of this node; nil on one machine.
    private let node: String?

    init(_ names: ViewNames, _ live: LiveLoop, node: String?) {
        (self.names, self.live, self.node) = (names, live, node)
        live.findWish = { [names, key = live.journal.digestKey] name, tag, account in
            Self.wish(name, tag, account, names, key)
        }
    }

    // MARK: Opening

    /// The members of a request that opens a stream.
    private static let members = ["watch", "client", "presence", "progress", "delta"]

    /// Opens a stream.
    func open(_ request: borrowing Request, _ route: Route, _ responder: Responder) {
        guard ActionBody.isJSON(request, responder),
            let (_, body) = ActionBody.object(of: request, Self.members, responder)
        else { return }
        guard route.wantsEvents || request.field(.accept).map({ Acceptance($0).names("text", "event-stream") }) ?? false
        else {
            return responder.answer(
                Problem(
                    .notAcceptable, "a stream is sent as events: send Accept: text/event-stream",
                    allowed: ["text/event-stream"]))
        }
        let wanted: [String: String?]
        let presences: [PresenceWish]
        let wishes: SteeredBranch.Wishes
        do throws(Problem.ProblemFailure) {
            wanted = try Self.watched(body["watch"])
            presences = try self.presences(body["presence"], responder).joined
            wishes = SteeredBranch.Wishes(
                client: try Self.client(body["client"]), subject: responder.account.subject,
                wantsPatches: try Self.wantsPatches(body["delta"]),
                wantsProgress: try Self.flag(body["progress"], "progress"))
        } catch {
            return responder.answer(error.problem)
        }
        guard let place = responder.takeStream() else { return }
        let stream = live.openStream(node: node, wishes, place, responder.exchange.connection)
        let found = wanted.sorted { $0.key < $1.key }.map { wish($0.key, $0.value, responder.account) }
        stream.join(presences) { problem in
            if let problem {
                stream.end()
                return responder.answer(problem)
            }
            stream.watch(found) { stream.begin(responder) }
        }
    }

    private func wish(_ name: String, _ tag: String?, _ account: Account) -> SteeredStream.Wish {
        Self.wish(name, tag, account, names, live.journal.digestKey)
    }

    private static func wish(
        _ name: String, _ tag: String?, _ account: Account, _ names: ViewNames, _ key: DigestKey
    ) -> SteeredStream.Wish {
        if name.hasSuffix(replicaMark) { return replica(name, tag, account, names) }
        let permit: Result<ReadPermit, Problem.ProblemFailure>
        switch WatchedView.find(name, account.token, names, key) {
        case .failure(let failure): permit = .failure(failure)
        case .success(let found):
            do throws(Refusal) {
                permit = .success(
                    try ReadPermit.issue([found.view], in: found.space, to: account.reader, by: names.registry))
            } catch {
                permit = .failure(Problem.ProblemFailure(problem: Problem(error)))
            }
        }
        return SteeredStream.Wish(name: name, tag: tag, permit: permit)
    }

    /// The end of the name of a replica, as in `main/tasks!replica`.
    private static let replicaMark = "!replica"

    private static func replica(
        _ name: String, _ tag: String?, _ account: Account, _ names: ViewNames
    ) -> SteeredStream.Wish {
        func failure(_ problem: Problem) -> SteeredStream.Wish {
            SteeredStream.Wish(
                name: name, tag: tag, permit: .failure(Problem.ProblemFailure(problem: problem)), isReplica: true)
        }
        let parts = name.dropLast(replicaMark.count).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let space = SpaceName(String(parts[0])) else {
            return failure(Problem(.invalid, "a replica is watched as SPACE/feature!replica"))
        }
        guard let view = names.registry.replica(of: String(parts[1]), in: space) else {
            return failure(
                Problem(
                    .noSuchView,
                    ProblemText("there is no feature \(parts[1].prefix(64)) with a replica in the space \(space)")))
        }
        guard account.token.covers(space) else {
            return failure(Problem(.forbidden, "this token is not good for the space \(space)"))
        }
        do throws(Refusal) {
            let permit = try ReadPermit.issue([view], in: space, to: account.reader, by: names.registry)
            return SteeredStream.Wish(name: name, tag: tag, permit: .success(permit), isReplica: true)
        } catch {
            return failure(Problem(error))
        }
    }

    // MARK: Members

    private static func fault(
        _ detail: ProblemText, at pointer: [String], allowed: [String] = []
    ) -> Problem.ProblemFailure {
        Problem.ProblemFailure(problem: Problem(.invalid, detail, at: "\(JSONPointer(pointer))", allowed: allowed))
    }

    /// Reads the views with their tags.
    private static func watched(_ json: JSON?) throws(Problem.ProblemFailure) -> [String: String?] {
        guard let json else { return [:] }
        guard case .object(let object) = json else {
            throw fault(
                "watch is an object: each view with the tag of the value that the client has, or null", at: ["watch"])
        }
        guard object.count <= SteeredStream.viewsLimit else { throw tooManyViews }
        var wanted: [String: String?] = [:]
        for member in object {
            switch member.value {
            case .null: wanted[member.key] = .some(nil)
            case .string(let tag): wanted[member.key] = tag
            default: throw fault("a tag is a text, or null for none", at: ["watch", member.key])
            }
        }
        return wanted
    }

    private static let tooManyViews = fault(
        "a stream watches at most \(SteeredStream.viewsLimit) views", at: ["watch"])

    private static func client(_ json: JSON?) throws(Problem.ProblemFailure) -> String? {
        switch json {
        case nil, .null?: return nil
        case .string(let text)? where QueuePosition.isClient(text): return text
        default: throw fault("client is that of Headwater-Queue: 128 random bits in base64url", at: ["client"])
        }
    }

    private static func flag(_ json: JSON?, _ name: String) throws(Problem.ProblemFailure) -> Bool {
        switch json {
        case nil, .null?: return false
        case .bool(let value)?: return value
        default: throw fault("\(name) is true or false", at: [name])
        }
    }

    private static func wantsPatches(_ json: JSON?) throws(Problem.ProblemFailure) -> Bool {
        switch json {
        case nil, .null?: return false
        case .string(QueryParameters.delta)?: return true
        default:
            throw fault(
                "delta is \(QueryParameters.delta), or is left out", at: ["delta"], allowed: [QueryParameters.delta])
        }
    }

    private typealias PresenceWish = (name: String, space: SpaceName, request: PresenceRequest)

    /// Reads the rows that the client wants, and those that it gives up.
    private func presences(
        _ json: JSON?, _ responder: Responder
    ) throws(Problem.ProblemFailure) -> (joined: [PresenceWish], left: [String]) {
        guard let json, json != .null else { return ([], []) }
        guard case .object(let object) = json else {
            throw Self.fault(
                "presence is an object: {\"SPACE/feature.table\": {\"as\": NAME, \"with\": ROW}}", at: ["presence"])
        }
        var joined: [PresenceWish] = []
        var left: [String] = []
        for member in object {
            if member.value == .null {
                left.append(member.key)
                continue
            }
            let place = ["presence", member.key]
            guard let slash = member.key.firstIndex(of: "/"), let space = SpaceName(String(member.key[..<slash])) else {
                throw Self.fault("presence names SPACE/feature.table", at: place)
            }
            guard case .object(let wish) = member.value else {
                throw Self.fault("presence is {\"as\": NAME, \"with\": ROW}, or null to end it", at: place)
            }
            let key: String?
            switch wish["as"] {
            case nil, .null?: key = nil
            case .string(let text)?: key = text
            default: throw Self.fault("as is a text", at: place + ["as"])
            }
            guard responder.account.token.covers(space) else {
                throw Problem.ProblemFailure(
                    problem: Problem(.forbidden, "this token is not good for the space \(space)"))
            }
            let table = String(member.key[member.key.index(after: slash)...])
            do throws(PresenceFault) {
                joined.append(
                    (
                        member.key, space,
                        try PresenceParameters.request(
                            table, key: key, row: wish["with"] ?? [:], in: space, names.registry, responder)
                    ))
            } catch {
                throw Problem.ProblemFailure(problem: error.problem)
            }
        }
        return (joined, left)
    }

    // MARK: Changing

    private static let changeMembers = ["seq", "watch", "unwatch", "presence"]

    /// A change of a stream.
    private struct StreamChange {
        let step: Int
        let watched: [String: String?]
        let unwatched: [String]
        let joined: [PresenceWish]
        let left: [String]
    }

    /// Changes a stream.
    func change(_ request: borrowing Request, _ name: StreamName?, _ responder: Responder) {
        guard let name, let stream = live.steered[name.text] else { return Self.answerMissing(responder) }
        guard ActionBody.isJSON(request, responder),
            let (_, body) = ActionBody.object(of: request, Self.changeMembers, responder)
        else { return }
        guard stream.account.isAlike(responder.account) else {
            return responder.answer(
                Problem(.forbidden, "the stream belongs to a token with another subject or other claims: open one anew")
            )
        }
        if responder.account.end > stream.account.end {
            stream.prolong(by: responder.account, responder.context.tokenClock)
        }
        let change: StreamChange
        do throws(Problem.ProblemFailure) {
            change = try self.change(body, responder)
        } catch {
            return responder.answer(error.problem)
        }
        take(change, of: stream, responder, until: live.delivery.now + SteeredStream.stepPatience.wholeNanoseconds)
    }

    private static func answerMissing(_ responder: Responder) { responder.answer(.missingStream) }

    private func change(_ body: JSON.Object, _ responder: Responder) throws(Problem.ProblemFailure) -> StreamChange {
        guard case .number(let number)? = body["seq"], let step = number.int64, step > 0 else {
            throw Self.fault("seq is the number of the change, from 1 on", at: ["seq"])
        }
        var unwatched: [String] = []
        if let json = body["unwatch"], json != .null {
            guard case .array(let elements) = json else {
                throw Self.fault("unwatch is a list of views", at: ["unwatch"])
            }
            for element in elements {
                guard case .string(let name) = element else {
                    throw Self.fault("unwatch is a list of views", at: ["unwatch"])
                }
                unwatched.append(name)
            }
        }
        let presences = try self.presences(body["presence"], responder)
        return StreamChange(
            step: Int(step), watched: try Self.watched(body["watch"]), unwatched: unwatched,
            joined: presences.joined, left: presences.left)
    }

    private func take(
        _ change: StreamChange, of stream: SteeredStream, _ responder: Responder, until deadline: Int64
    ) {
        guard live.steered[stream.id.text] === stream else { return Self.answerMissing(responder) }
        switch stream.place(of: change.step) {
        case .repeated(let count): Self.answer(count, responder)
        case .early:
            let late = {
                responder.answer(
                    Problem(.missingSteps, "changes with smaller seq have not arrived: send them first", retryAfter: 1))
            }
            let isWaiting = stream.wait(for: change.step, until: deadline) { [self] in
                take(change, of: stream, responder, until: deadline)
            } late: {
                late()
            }
            if !isWaiting { late() }
        case .next:
            guard stream.count(after: change.watched.keys, change.unwatched) <= SteeredStream.viewsLimit else {
                return responder.answer(Self.tooManyViews.problem)
            }
            stream.beginStep()
            stream.join(change.joined) { [self] problem in
                if let problem {
                    responder.answer(problem)
                    return stream.endStep(nil)
                }
                stream.leave(change.left)
                stream.unwatch(change.unwatched)
                let wanted = change.watched.filter { !stream.isWatched($0.key) }.sorted { $0.key < $1.key }
                let found = wanted.map { wish($0.key, $0.value, stream.account) }
                if !found.isEmpty { stream.watch(found) }
                Self.answer(stream.watchedCount, responder)
                stream.endStep(change.step)
            }
        }
    }

    private static func answer(_ count: Int, _ responder: Responder) {
        responder.answer(now: ["watching": .number(Decimal(count))])
    }
}
