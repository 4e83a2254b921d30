import HistoryChecking
import JSON
import Reactive
import SimulatedCluster

/// A client that does one thing after the other, each at a node of its choice, with the tags and ids that it has.
final class WanderingClient {
    typealias Versions = HistoryRecord.Versions

    /// What the client has of one selection of views of a space: the last tag, and the values that it was sent.
    private struct Known {
        var tag: String?
        var values: [String: JSON] = [:]
    }

    private static let views = ["tally.total", "tally.double", "tally.both", "rate.count", "tally.quarter"]
    private static let several = "views?view=tally.total&view=tally.double&view=tally.both&view=rate.count"
    /// The longest time that a client waits for an answer, or takes events.
    private static let patience = Duration.seconds(12)

    let name: String
    private unowned let run: ReaderRun
    private var known: [String: Known] = [:]
    private var seen: [String: Versions] = [:]
    /// The newest tag of each space, from any answer or event.
    private var tags: [String: String] = [:]
    private var lastChange: [String: (id: String, version: Int)] = [:]
    private var actions = 0

    init(_ name: String, _ run: ReaderRun) {
        (self.name, self.run) = (name, run)
    }

    private var world: SimulatedWorld { run.cluster.world }
    private var now: Int64 { world.now.nanoseconds }

    /// Does the next thing after a while.
    func goOn() {
        guard !run.isCalm else { return }
        world.after(world.delay(upTo: 4_000)) { self.step() }
    }

    private func step() {
        let space = ReaderRun.spaces[world.random(below: ReaderRun.spaces.count)]
        switch world.random(below: 14) {
        case 0, 1, 2: act(space)
        case 3: world.isOne(in: 3) ? actInCommon() : look(space, isNear: false)
        case 4, 5, 6: look(space, isNear: world.isOne(in: 3))
        case 7: poll(space)
        case 8, 9, 10: follow(space, world.isOne(in: 2) ? Self.several : oneView)
        case 11: followLive()
        case 12: world.isOne(in: 2) ? lookBack(space) : describe(space)
        default: world.isOne(in: 2) ? followChanges(space) : readChanges(space)
        }
    }

    private var oneView: String {
        Self.views[world.random(below: Self.views.count)].replacing(".", with: "/")
    }

    // MARK: Requests

    /// Sends a request to a node, and calls `body` with the answer; goes on in any case.
    private func ask(
        _ line: String, _ fields: [String: String] = [:], body: String? = nil,
        _ take: @escaping (_ answer: SimulatedAnswer?, _ content: JSON?, _ place: String) -> Void
    ) {
        let node = run.cluster.nodes[world.random(below: run.cluster.nodes.count)]
        guard let connection = node.connect() else { return goOn() }
        let place = "\(line) at \(node.name) \(fields)"
        let began = world.now
        var isOver = false
        func end(_ answer: SimulatedAnswer?, _ content: JSON?) {
            guard !isOver else { return }
            isOver = true
            connection.changed = {}
            connection.close()
            take(answer, content, place)
            goOn()
        }
        connection.changed = { [unowned connection] in
            guard connection.isEnded else { return }
            guard let head = connection.take(upTo: "\r\n\r\n"), let answer = SimulatedAnswer(head) else {
                return end(nil, nil)
            }
            self.run.note(answer.status, of: place, after: self.world.now - began)
            end(answer, try? JSON(parsing: connection.received))
        }
        world.after(Self.patience) { end(nil, nil) }
        connection.send(line, fields, body)
    }

    private func show(
        _ space: String, _ place: String, _ begin: Int64, _ versions: Versions, asked: Versions = Versions(nil),
        isFresh: Bool = true, _ values: [String: JSON]
    ) {
        run.take(
            .show(
                HistoryRecord.Shown(
                    client: name, space: space, place: "\(place), at \(now / 1_000) µs", begin: begin,
                    versions: versions, asked: asked, isFresh: isFresh,
                    values: values.compactMapValues { $0 }.reduce(into: [:]) { shown, value in
                        shown[value.key] = Versions(value.value, of: value.key)
                    })))
        seen[space] = (seen[space] ?? Versions(nil)).joined(with: versions)
    }

    // MARK: Actions

    private func act(_ space: String) {
        actions += 1
        let (token, begin) = ("\(name)-\(actions)", now)
        let views = world.isOne(in: 2) ? "?" + Self.several.dropFirst(6) : ""
        var fields: [String: String] = [:]
        if world.isOne(in: 2) { fields["Idempotency-Key"] = token }
        ask("POST /v1/spaces/\(space)/tally/add\(views)", fields, body: "{}") { [self] answer, content, place in
            guard let answer, answer.status == 200, let version = content?["version"]?.wholeNumber else {
                return run.take(
                    .add(
                        space: space, element: token, begin: begin, end: now, answer?.status == 200 ? .ok : .unknown,
                        version: nil))
            }
            run.take(.add(space: space, element: token, begin: begin, end: now, .ok, version: version))
            guard case .object(let members)? = content?["views"], let tag = answer.tag else {
                return show(space, place, begin, Versions(version), [:])
            }
            var values: [String: JSON] = [:]
            for member in members { values[member.key] = member.value }
            show(space, place, begin, Versions(tag: tag), values)
            tags[space] = tag
            if Versions(tag: tag).version != version { run.complain("\(place): \(tag) for version \(version)") }
        }
    }

    private func actInCommon() {
        actions += 1
        let (token, begin) = ("\(name)-\(actions)", now)
        ask("POST /v1/spaces/common/rate/add", body: "{}") { [self] answer, content, place in
            let version = content?["version"]?.wholeNumber
            run.take(
                .add(
                    space: "common", element: token, begin: begin, end: now,
                    answer?.status == 200 ? .ok : .unknown, version: answer?.status == 200 ? version : nil))
        }
    }

    // MARK: Looks

    private func look(_ space: String, isNear: Bool) {
        let path = world.isOne(in: 2) ? oneView : Self.several
        let key = "\(space)/\(path)"
        var (fields, parameters) = ([String: String](), "")
        var asked = Versions(nil)
        if let tag = known[key]?.tag, world.isOne(in: 2) {
            fields["If-None-Match"] = "\"\(tag)\""
            asked = Versions(tag: tag)
        } else if let tag = tags[space], world.isOne(in: 2) || isNear {
            parameters = "\(path.contains("?") ? "&" : "?")atLeast=\(tag)"
            asked = Versions(tag: tag)
        }
        if isNear { fields["Prefer"] = "near" }
        read(space, path, parameters, fields, asked, isFresh: !isNear)
    }

    private func poll(_ space: String) {
        let path = world.isOne(in: 2) ? oneView : Self.several
        guard let tag = known["\(space)/\(path)"]?.tag else { return look(space, isNear: false) }
        let wait = "\(path.contains("?") ? "&" : "?")since=\(tag)&wait=1"
        read(space, path, wait, [:], Versions(tag: tag), isFresh: true)
    }

    private func read(
        _ space: String, _ path: String, _ parameters: String, _ fields: [String: String], _ asked: Versions,
        isFresh: Bool
    ) {
        let begin = now
        ask("GET /v1/spaces/\(space)/\(path)\(parameters)", fields) { [self] answer, content, place in
            guard let answer, answer.status == 200, let content, let tag = answer.tag else { return }
            let values = values(content, path)
            show(space, place, begin, Versions(tag: tag), asked: asked, isFresh: isFresh, values)
            known["\(space)/\(path)"] = Known(tag: tag, values: values)
            tags[space] = tag
        }
    }

    private func values(_ content: JSON, _ path: String) -> [String: JSON] {
        guard path.contains("?") else { return [path.replacing("/", with: "."): content] }
        guard case .object(let members) = content else { return [:] }
        return members.reduce(into: [:]) { $0[$1.key] = $1.value }
    }

    private func describe(_ space: String) {
        let begin = now
        ask("GET /v1/spaces/\(space)") { [self] answer, content, place in
            guard let version = content?["version"]?.wholeNumber, answer?.status == 200 else { return }
            show(space, place, begin, Versions(version), [:])
        }
    }

    /// Looks at a version of the past.
    private func lookBack(_ space: String) {
        guard let newest = seen[space]?.version, newest > 0 else { return goOn() }
        let version = 1 + world.random(below: newest)
        let begin = now
        ask("GET /v1/spaces/\(space)/tally/total?at=\(version)") { [self] answer, content, place in
            guard let answer, answer.status == 200, let content else { return }
            show(space, place, begin, Versions(version), isFresh: false, ["tally.total": content])
        }
    }

    // MARK: Changes

    private func readChanges(_ space: String) {
        guard let since = seen[space]?.version else { return goOn() }
        let first = max(0, since - world.random(below: 5))
        let begin = now
        ask("GET /v1/spaces/\(space)/changes?since=\(first)") { [self] answer, content, place in
            guard answer?.status == 200, case .array(let rows)? = content else { return }
            var last = first
            for row in rows {
                guard let version = row["version"]?.wholeNumber else { continue }
                if version != last + 1 { run.complain("\(place): \(version) after \(last)") }
                last = version
                if row["changed"]?["tally.total"]?.wholeNumber != version {
                    run.complain("\(place): \(row)")
                }
            }
            show(space, place, begin, Versions(last), [:])
        }
    }

    private func followChanges(_ space: String) {
        let last = lastChange[space]
        let fields = last.map { ["Last-Event-ID": $0.id] } ?? [:]
        var version = last?.version ?? 0
        stream("GET /v1/spaces/\(space)/changes?since=0", fields) { [self] event, place in
            guard let data = event.data, let found = data["version"]?.wholeNumber, let id = event.id else { return }
            if found != version + 1 { run.complain("\(place): \(found) after \(version)") }
            version = found
            lastChange[space] = (id, found)
            if data["changed"]?["tally.total"]?.wholeNumber != found { run.complain("\(place): \(data)") }
        }
    }

    // MARK: Streams

    /// One event of a stream.
    private struct Event {
        var id: String?
        var name: String?
        var data: JSON?
        var isComment = false

        init(_ block: String) {
            for line in block.split(separator: "\n") {
                if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
                if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
                if line.hasPrefix("data: ") { data = try? JSON(parsing: Array(line.dropFirst(6).utf8)) }
                if line.hasPrefix(":") { isComment = true }
            }
        }
    }

    /// Takes the events of a stream for some seconds.
    private func stream(
        _ line: String, _ fields: [String: String], _ take: @escaping (_ event: Event, _ place: String) -> Void
    ) {
        let node = run.cluster.nodes[world.random(below: run.cluster.nodes.count)]
        guard let connection = node.connect() else { return goOn() }
        let place = "stream \(line) at \(node.name) \(fields)"
        let began = world.now
        var (status, isOver) = (0, false)
        func end() {
            guard !isOver else { return }
            isOver = true
            connection.changed = {}
            connection.close()
            goOn()
        }
        connection.changed = { [unowned connection] in
            if status == 0, let head = connection.take(upTo: "\r\n\r\n"), let answer = SimulatedAnswer(head) {
                status = answer.status
                self.run.note(status, of: place, after: self.world.now - began)
            }
            while status == 200, !isOver, let block = connection.take(upTo: "\n\n") {
                let event = Event(block)
                if event.name == "reset" || event.name == "error" { self.run.complain("\(place): \(block)") }
                if event.isComment, block.hasPrefix(": behind") { self.run.complain("\(place): \(block)") }
                if event.data != nil { take(event, place) }
            }
            if connection.isEnded || status != 0 && status != 200 { end() }
        }
        world.after(world.delay(upTo: world.isOne(in: 8) ? 1_500_000 : 60_000)) { end() }
        connection.send(line, fields.merging(["Accept": "text/event-stream"]) { $1 }, nil)
    }

    private func follow(_ space: String, _ path: String) {
        let key = "\(space)/\(path)"
        let begin = now
        var (fields, asked, isFirst) = ([String: String](), Versions(nil), true)
        let isNear = world.isOne(in: 6)
        // An id of other views counts too.
        if let tag = world.isOne(in: 4) ? tags[space] : known[key]?.tag, isNear || !world.isOne(in: 6) {
            fields["Last-Event-ID"] = tag
            asked = Versions(tag: tag)
        }
        var values: [String: JSON] = [:]
        if fields["Last-Event-ID"] == known[key]?.tag { values = known[key]?.values ?? [:] }
        if isNear { fields["Prefer"] = "near" }
        stream("GET /v1/spaces/\(space)/\(path)", fields) { [self] event, place in
            guard let id = event.id, let data = event.data else { return }
            values.merge(self.values(data, path)) { $1 }
            let versions = Versions(tag: id)
            // Only the first event is that of a fresh read.
            show(space, place, begin, versions, asked: asked, isFresh: isFirst && !isNear, values)
            (asked, isFirst) = (versions, false)
            known[key] = Known(tag: id, values: values)
            tags[space] = id
        }
    }

    private func followLive() {
        let watched = ReaderRun.spaces.prefix(2)
        let path = watched.flatMap { space in
            ["tally.total", "tally.double", "tally.both"].map { "watch=\(space)/\($0)" }
        }.joined(separator: "&")
        let key = "live"
        let last = known[key]
        let fields = last?.tag.map { ["Last-Event-ID": $0] } ?? [:]
        var values = last?.values ?? [:]
        // A live stream begins with all that the client may have seen.
        let begin = now
        var (asked, isFirst) = (seen, true)
        stream("GET /v1/live?\(path)", fields) { [self] event, place in
            guard case .object(let members)? = event.data, let id = event.id else { return }
            for member in members { values[member.key] = member.value }
            known[key] = Known(tag: id, values: values)
            for space in watched {
                guard case .string(let text)? = values["_versions"]?[space] else { continue }
                let versions = Versions(tag: text)
                let own = values.filter { $0.key.hasPrefix("\(space)/") }.map {
                    (String($0.key.dropFirst(space.count + 1)), $0.value)
                }
                show(
                    space, place, begin, versions, asked: asked[space] ?? Versions(nil), isFresh: isFirst,
                    Dictionary(uniqueKeysWithValues: own))
                asked[space] = versions
            }
            isFirst = false
        }
    }
}
