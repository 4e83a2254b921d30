package import JSON
import StateModel

/// The decisions of a client: one connection for all views, and one queue of actions. It does nothing itself. Each call
/// leaves commands, which its owner performs in their order.
///
/// Invariants: at most one stream and one change of it are under way; a number of an action is in a `write` before the
/// action is in a `start`; a patch is applied only to the value that it follows.
package struct ClientMachine: Sendable {
    /// The work that the machine wants done.
    package enum ClientCommand: Sendable {
        /// Ask the app for its token; the one that the server refused, if it did.
        case askToken(refused: String?)
        /// Open what the device keeps of a subject, and call `opened`.
        case open(subject: String)
        /// Read the last value of a view from the device, and call `recalled`.
        case recall(ViewAddress)
        /// Make steps of the queue durable, and call `written`.
        case write([QueueRecord])
        /// Keep values, or erase them.
        case keep(subject: String, [(name: String, value: KeptValue?)])
        /// Keep a replica, whose rows its reader has.
        case keepReplica(subject: String, ViewAddress, tag: String, time: Double)
        /// Erase all that the device keeps of a subject.
        case erase(subject: String)
        case start(Int, WireRequest)
        case cancel(Int)
        case show(ShownNews)
        case settle(id: String, ActionEnding)
        case status(ClientStatus)
        case presenceRefused(key: String, ServerProblem)
        /// Keep the caller that the server has told, and pass it to replicas.
        case identify(JSON)
    }

    /// The pause in which changes of the watch are collected.
    static let planPause = Duration.milliseconds(20)
    /// The silence after which a stream counts as dead.
    static let silence = Duration.seconds(40)
    /// The time in which an action or a change of the stream is answered, or its connection has failed.
    static let answerLimit = Duration.seconds(60)
    /// The time for which values count as current after the stream is lost.
    static let staleGrace = Duration.seconds(2)
    /// The pause before values are kept.
    static let keepPause = Duration.seconds(1)
    /// The pause before a step of the queue is written again.
    static let writePause = Duration.seconds(1)
    /// The maximum size of an answer that is no stream, in bytes.
    static let replyLimit = 16 << 20

    /// The time of a clock that does not jump, and the time of day in seconds since 1970. The owner sets them before each
    /// call.
    package var now = Duration.zero
    package var time = 0.0

    private var commands: [ClientCommand] = []

    // The token and its subject.
    private enum TokenState {
        case unknown, asking, known(String?)
    }
    private var token = TokenState.unknown
    private var refusedToken: String?
    private var tokenReason: String?
    private var nextTokenAttempt: Duration?
    private var tokenPace: Pace
    package private(set) var subject: String?
    private var isOpen = false

    // The session of the subject.
    private var line = ActionLine(client: "", processClient: "")
    private var held = HeldValues()
    private var watch = WatchSet()
    /// The actions whose callers wait in this process.
    private var awaited: [String: AwaitedAction] = [:]
    private var storageFault: String?
    /// The reason why the device keeps nothing of the subject.
    private var sessionFault: String?
    /// The steps of the queue that could not be kept yet.
    private var unwritten: [QueueRecord] = []
    private var nextWriting: Duration?
    /// The steps of the queue from before the subject was known.
    private var earlyRecords: [QueueRecord] = []

    private struct AwaitedAction {
        let space: String
        var client = ""
        var number: Int?
        var reply: ActionReply?
        var isReset = false
        var isShown = false

        init(space: String) {
            self.space = space
        }

        /// The wait for an action of the queue.
        init(_ action: QueuedAction) {
            (space, client, number) = (action.space, action.client, action.number)
        }
    }

    // Exchanges.
    private struct ClientExchange {
        enum ExchangeAim {
            case stream
            case steering
            case action(String)
            case identity
        }
        let aim: ExchangeAim
        var reply = WireReply(status: 0)
        var deadline: Duration?
    }
    private var exchanges: [Int: ClientExchange] = [:]
    private var nextExchange = 1
    private var attempts: [String: (count: Int, next: Duration)] = [:]
    private var actionPace: Pace

    // The stream.
    private struct OpenStream {
        let exchange: Int
        let token: String?
        var name: String?
        var parser = EventStreamParser()
        var sequence = 0
        var watching: Set<String>
        var presences: [String: JSON]
        var hasFirstEvent = false
        var heard: Duration
        var steering: (watch: [String], unwatch: [String], presences: [String: JSON])?
        var nextSteering: Duration?
    }
    private var stream: OpenStream?
    private var nextOpening: Duration?
    private var streamPace: Pace
    private var presences: [String: JSON] = [:]
    private var isInBackground = false
    private var staleTime: Duration?
    private var lastHeard: Double?

    // The caller, which replicas need.
    /// The answer to `GET /v1/me`; nil before it was asked for.
    private var identity: JSON?
    private var isIdentityCurrent = false
    private var isAskingIdentity = false
    private var nextIdentity: Duration?
    /// The actions whose time the server has refused.
    private var retimed: Set<String> = []

    // Values to keep.
    private var unsaved: Set<String> = []
    private var saveTime: Duration?

    private var state = ClientStatus()
    private var shownStatus: ClientStatus?
    private var news = NewsDraft()

    private struct NewsDraft {
        var names: Set<String> = []
        var replicas: [(String, ReplicaNews)] = []
        var over: [String] = []
    }

    /// True if a refused action holds back those after it, until it is retried or discarded.
    package var stopsAtRefusal = false

    package init(seed: UInt64) {
        tokenPace = Pace(seed: seed)
        actionPace = Pace(seed: seed &+ 1)
        streamPace = Pace(seed: seed &+ 2)
    }

    /// Takes the commands that the calls have left, and plans what follows.
    package mutating func takeCommands() -> [ClientCommand] {
        plan()
        publish()
        defer { commands = [] }
        return commands
    }

    /// The time at which `takeCommands` has something to do without a further call.
    package var nextAlarm: Duration? {
        var times = [
            nextTokenAttempt, staleTime, saveTime, nextWriting, watch.nextEnd, nextIdentity,
            stream.map { $0.heard + Self.silence },
        ]
        times += exchanges.values.map(\.deadline)
        if isOpen, case .known = token {
            times.append(nextOpening)
            if let stream, stream.name != nil, stream.steering == nil { times.append(stream.nextSteering) }
            times += line.ready(stopsAtRefusal: stopsAtRefusal).map { attempts[$0.id]?.next }
        }
        return times.compactMap { $0 }.min()
    }

    /// The actions that wait or were refused.
    package var pending: [PendingAction] { line.actions.map(PendingAction.init) }

    /// The actions that are not over and were not refused.
    package var awaitedActions: [QueuedAction] { line.actions.filter { awaited[$0.id] != nil } }

    /// The actions of a space that were not refused, with their places in the queue.
    package func foreseen(in space: String) -> [ForeseenAction] { isOpen ? line.foreseen(in: space) : [] }

    /// The place in the queue that the next action of a space has; nil before the queue is open.
    package func nextPlace(in space: String) -> (client: String, number: Int)? {
        isOpen ? line.nextPlace(in: space) : nil
    }

    /// The value of a view as it is shown.
    package func shown(_ address: ViewAddress) -> ShownValue { held.shown(address.description) }

    // MARK: Calls of the app

    /// Watches a view; each call is ended by one of `unwatch`.
    package mutating func watch(_ address: ViewAddress) {
        guard watch.add(address) else { return }
        if isOpen { commands.append(.recall(address)) }
    }

    package mutating func unwatch(_ address: ViewAddress) { watch.remove(address, at: now) }

    /// Is present in a table, with a row; nil ends that.
    package mutating func setPresence(_ key: String, _ row: JSON?) { presences[key] = row }

    /// Adds an action to the queue.
    package mutating func perform(_ action: QueuedAction) {
        awaited[action.id] = AwaitedAction(space: action.space)
        record([.added(action)])
    }

    /// Sends a refused action again, after the others. Returns false if it was not refused.
    package mutating func retry(_ id: String, as new: String) -> Bool {
        guard let action = line[id], case .refused = action.stage else { return false }
        let again = QueuedAction(
            id: new, space: action.space, name: action.name, input: action.input, documentHash: action.documentHash)
        awaited[new] = AwaitedAction(space: action.space)
        record([.over(id: id), .added(again)])
        return true
    }

    /// Drops an action that was not sent, or was refused. Returns false if it is under way or over.
    package mutating func discard(_ id: String) -> Bool {
        guard let action = line[id], action.stage != .sent else { return false }
        record([.over(id: id)])
        if awaited[id] != nil { end(id, .abandoned(.discarded)) }
        return true
    }

    /// The app is not shown any more: the stream ends, and values are kept.
    package mutating func enterBackground() {
        isInBackground = true
        closeStream()
        markStale()
        keepValues()
        setConnection(.background)
    }

    /// The app is shown again.
    package mutating func enterForeground() {
        guard isInBackground else { return }
        isInBackground = false
        setConnection(.connecting)
        networkReturned()
    }

    /// The network is there again: attempts do not wait.
    package mutating func networkReturned() {
        streamPace.succeed()
        if nextOpening != nil { nextOpening = now }
        attempts = attempts.mapValues { ($0.count, now) }
        if nextTokenAttempt != nil { nextTokenAttempt = now }
    }

    /// The app has another token than the one that it gave last.
    package mutating func tokenChanged() {
        token = .unknown
        (refusedToken, nextTokenAttempt) = (nil, nil)
    }

    /// Leaves the subject, and erases what the device keeps of it. Returns false if actions wait and `discarding` is not set.
    package mutating func signOut(discarding: Bool) -> Bool {
        guard discarding || line.counts.waiting + earlyRecords.count == 0 else { return false }
        earlyRecords = []
        if let subject {
            leave()
            commands.append(.erase(subject: subject))
        }
        tokenChanged()
        return true
    }

    // MARK: Answers to commands

    package mutating func tokenCame(_ text: String?) {
        guard case .asking = token else { return }
        if let refusedToken, refusedToken == text {
            // The app has no other token yet.
            waitForToken(tokenReason ?? "the server refuses the token")
            return
        }
        token = .known(text)
        refusedToken = nil
        isIdentityCurrent = false
        if case .needsToken = state.connection { setConnection(isInBackground ? .background : .connecting) }
        let name = TokenSubject.name(of: text)
        guard name != subject else {
            // The stream begins anew with the claims of the new token.
            if let open = stream, open.token != text {
                closeStream()
                nextOpening = now
            }
            return
        }
        leave()
        subject = name
        commands.append(.open(subject: name))
    }

    package mutating func tokenFailed(_ reason: String) {
        guard case .asking = token else { return }
        waitForToken(reason)
    }

    private mutating func waitForToken(_ reason: String) {
        token = .unknown
        nextTokenAttempt = now + tokenPace.fail()
        setConnection(.needsToken(reason))
    }

    /// Takes what the device keeps of a subject.
    package mutating func opened(_ session: KeptSession, subject: String) {
        guard subject == self.subject, !isOpen else { return }
        isOpen = true
        line = session.line
        sessionFault = session.fault
        // Actions that were added before the subject was known.
        for action in line.actions {
            if case .refused = action.stage { continue }
            awaited[action.id] = AwaitedAction(action)
        }
        let early = earlyRecords
        earlyRecords = []
        record(early)
        for name in watch.names { if let address = watch[name] { commands.append(.recall(address)) } }
    }

    /// Takes the last value of a view that the device has kept.
    package mutating func recalled(_ address: ViewAddress, _ kept: KeptValue?) {
        let name = address.description
        guard let kept, watch[name] != nil, held.recall(name, kept, isReplica: address.isReplica) else { return }
        news.names.insert(name)
        if address.isReplica { news.replicas.append((name, .whole(kept.value.members))) }
    }

    /// Takes the result of a `write`. What could not be kept is taken back, or written later.
    package mutating func written(_ records: [QueueRecord], fault: String?) {
        guard let fault else {
            storageFault = nil
            return
        }
        storageFault = fault
        unwritten += line.takeBack(records)
        nextWriting = now + Self.writePause
        for record in records {
            if case .numbered(let id, _, _) = record {
                attempts[id] = (attempts[id]?.count ?? 0, now + Self.writePause)
            }
        }
    }

    /// Returns false if the number of an action could not be kept: the exchange is not started, and over.
    package mutating func mayStart(_ number: Int) -> Bool {
        guard case .action(let id)? = exchanges[number]?.aim, line[id]?.number == nil else { return true }
        exchanges[number] = nil
        line.setFlying(id, false)
        return false
    }

    // MARK: Exchanges

    /// Takes a piece of an answer.
    package mutating func received(_ number: Int, _ event: WireEvent) {
        guard var exchange = exchanges[number] else { return }
        switch event {
        case .head(let status, let fields):
            (exchange.reply.status, exchange.reply.fields) = (status, fields)
            exchanges[number] = exchange
        case .bytes(let bytes):
            if case .stream = exchange.aim, exchange.reply.status == 200 { return streamed(bytes) }
            guard exchange.reply.body.count + bytes.count <= Self.replyLimit else {
                commands.append(.cancel(number))
                return finish(number, exchange, isEarly: true)
            }
            exchange.reply.body += bytes
            exchanges[number] = exchange
        case .end(let isEarly): finish(number, exchange, isEarly: isEarly || exchange.reply.status == 0)
        }
    }

    private mutating func finish(_ number: Int, _ exchange: ClientExchange, isEarly: Bool) {
        exchanges[number] = nil
        switch exchange.aim {
        case .stream: streamEnded(number, exchange.reply, isEarly: isEarly)
        case .steering: steered(isEarly ? nil : exchange.reply)
        case .identity: identified(isEarly ? nil : exchange.reply)
        case .action(let id): answered(id, isEarly ? nil : exchange.reply)
        }
    }

    private mutating func start(_ request: WireRequest, _ aim: ClientExchange.ExchangeAim, limit: Duration?) -> Int {
        defer { nextExchange += 1 }
        var request = request
        if case .known(let text?) = token { request.fields.append(("Authorization", "Bearer \(text)")) }
        exchanges[nextExchange] = ClientExchange(aim: aim, deadline: limit.map { now + $0 })
        commands.append(.start(nextExchange, request))
        return nextExchange
    }

    // MARK: The plan

    /// Does what is due and possible.
    private mutating func plan() {
        if let time = nextTokenAttempt, time <= now { nextTokenAttempt = nil }
        if case .unknown = token, nextTokenAttempt == nil {
            token = .asking
            commands.append(.askToken(refused: refusedToken))
        }
        for (number, exchange) in exchanges {
            guard let deadline = exchange.deadline, deadline <= now else { continue }
            commands.append(.cancel(number))
            finish(number, exchange, isEarly: true)
        }
        for address in watch.expire(at: now) where stream?.watching.contains(address.description) != true {
            held.forget(address.description)
        }
        if let time = staleTime, time <= now { markStale() }
        if let time = saveTime, time <= now { keepValues() }
        if let time = nextWriting, time <= now {
            let late = unwritten
            (nextWriting, unwritten) = (nil, [])
            write(late)
        }
        if let open = stream, open.heard + Self.silence <= now {
            closeStream()
            streamLost(after: streamPace.fail())
        }
        guard isOpen, case .known = token else { return }
        send()
        planStream()
        planIdentity()
    }

    /// Asks who the caller is, for replicas: once in the life of a token.
    private mutating func planIdentity() {
        if let time = nextIdentity, time <= now { nextIdentity = nil }
        guard !isIdentityCurrent, !isAskingIdentity, nextIdentity == nil, !isInBackground,
            watch.names.contains(where: { $0.hasSuffix("!replica") })
        else { return }
        isAskingIdentity = true
        var request = WireRequest("v1/me", [])
        request.method = "GET"
        _ = start(request, .identity, limit: Self.answerLimit)
    }

    private mutating func identified(_ reply: WireReply?) {
        isAskingIdentity = false
        guard let reply, reply.status == 200, let caller = try? JSON(parsing: reply.body) else {
            if reply?.status == 401 { refuseToken(Self.problem(of: reply ?? WireReply(status: 401)).detail) }
            nextIdentity = now + max(actionPace.pause(after: 2), reply?.retryAfter ?? .zero)
            return
        }
        isIdentityCurrent = true
        guard caller != identity else { return }
        identity = caller
        commands.append(.identify(caller))
    }

    /// Takes the caller as the device has kept it.
    package mutating func recalledIdentity(_ caller: JSON) {
        if identity == nil { identity = caller }
    }

    private var wanted: [String] {
        let names = watch.names
        return names.count <= WatchSet.viewsLimit ? names : Array(names.prefix(WatchSet.viewsLimit))
    }

    private mutating func planStream() {
        guard !isInBackground, !watch.isEmpty || !presences.isEmpty else {
            if stream != nil { closeStream() }
            nextOpening = nil
            return
        }
        for name in watch.names.dropFirst(WatchSet.viewsLimit) where held.views[name]?.problem == nil {
            held.refuse(name, .tooManyViews)
            news.names.insert(name)
        }
        guard let open = stream else {
            guard let time = nextOpening else {
                nextOpening = now + Self.planPause
                return
            }
            if time <= now { openStream() }
            return
        }
        guard open.name != nil, open.steering == nil else { return }
        let difference = difference(of: open)
        guard !difference.watch.isEmpty || !difference.unwatch.isEmpty || !difference.presences.isEmpty else {
            stream?.nextSteering = nil
            return
        }
        guard let time = open.nextSteering else {
            stream?.nextSteering = now + Self.planPause
            return
        }
        if time <= now { steer(difference) }
    }

    private func difference(of open: OpenStream) -> (watch: [String], unwatch: [String], presences: [String: JSON]) {
        let wanted = wanted
        let present = Set(wanted)
        var changed = presences.filter { open.presences[$0.key] != $0.value }
        for key in open.presences.keys where presences[key] == nil { changed[key] = .null }
        return (
            wanted.filter { !open.watching.contains($0) }, open.watching.filter { !present.contains($0) }.sorted(),
            changed
        )
    }

    // MARK: The stream

    private mutating func openStream() {
        nextOpening = nil
        let names = wanted
        var watch = JSON.Object()
        for name in names { watch[name] = held.tag(name).map { .string($0) } ?? .null }
        var body = JSON.Object()
        body["watch"] = .object(watch)
        body["client"] = .string(line.client)
        body["progress"] = true
        body["delta"] = "json-patch"
        if !presences.isEmpty { body["presence"] = Self.object(presences) }
        var request = WireRequest("v1/live", JSON.object(body).bytes, fields: [("Accept", "text/event-stream")])
        request.isStream = true
        let number = start(request, .stream, limit: nil)
        var text: String?
        if case .known(let known) = token { text = known }
        stream = OpenStream(
            exchange: number, token: text, watching: Set(names), presences: presences, heard: now)
    }

    private static func object(_ members: [String: JSON]) -> JSON {
        var object = JSON.Object()
        for (key, value) in members.sorted(by: { $0.key < $1.key }) { object[key] = value }
        return .object(object)
    }

    private mutating func closeStream() {
        guard let open = stream else { return }
        for (number, exchange) in exchanges {
            switch exchange.aim {
            case .stream, .steering:
                commands.append(.cancel(number))
                exchanges[number] = nil
            case .action, .identity: break
            }
        }
        for name in open.watching where watch[name] == nil { held.forget(name) }
        stream = nil
    }

    /// Plans another stream; the values are old if it does not come soon.
    private mutating func streamLost(after pause: Duration) {
        nextOpening = now + pause
        if streamPace.fails > 1 {
            markStale()
            if !isInBackground { setConnection(.offline) }
        } else {
            staleTime = staleTime ?? now + Self.staleGrace
            if state.connection == .live { setConnection(.connecting) }
        }
    }

    private mutating func streamed(_ bytes: [UInt8]) {
        stream?.heard = now
        lastHeard = time
        let messages: [EventStreamParser.StreamMessage]
        do throws(EventStreamParser.TooLong) {
            messages = try stream?.parser.feed(bytes) ?? []
        } catch {
            closeStream()
            return streamLost(after: streamPace.fail())
        }
        for message in messages where stream != nil {
            switch message.name {
            case "stream":
                stream?.name = (try? JSON(parsing: message.data))?["stream"]?.text
            case "", "message": if let news = StreamNews(message.data) { take(news) }
            default: break
            }
        }
    }

    /// Takes an event, as one step of all that is shown.
    private mutating func take(_ event: StreamNews) {
        guard let open = stream else { return }
        let asked = open.watching.union(open.steering?.watch ?? []).subtracting(open.steering?.unwatch ?? [])
        let step = held.take(event) { asked.contains($0) }
        streamPace.succeed()
        tokenPace.succeed()
        staleTime = nil
        news.names.formUnion(step.changed)
        news.replicas += step.replicas
        for name in step.changed { keepLater(name) }
        if !open.hasFirstEvent {
            stream?.hasFirstEvent = true
            // What the first event does not repeat is current.
            news.names.formUnion(held.markCurrent(open.watching))
            setConnection(.live)
        }
        for id in awaited.keys where event.reset.contains(awaited[id]?.space ?? "") { awaited[id]?.isReset = true }
        settleShown()
        if !step.unfit.isEmpty {
            closeStream()
            streamLost(after: streamPace.fail())
        }
    }

    private mutating func streamEnded(_ number: Int, _ reply: WireReply, isEarly: Bool) {
        guard let open = stream, open.exchange == number else { return }
        let hadEvents = open.hasFirstEvent
        closeStream()
        if reply.status == 200 || reply.status == 0 {
            return streamLost(after: hadEvents ? streamPace.pause(after: 0) : streamPace.fail())
        }
        let problem = Self.problem(of: reply)
        switch reply.status {
        case 401:
            refuseToken(problem.detail)
            nextOpening = now
        case 400..<500 where ![408, 425, 429].contains(reply.status) && !open.presences.isEmpty:
            refusePresences(Array(open.presences.keys), problem)
            nextOpening = now
        case 400..<500 where ![408, 425, 429].contains(reply.status):
            // Each view says why it shows nothing. The client asks again, because rights change.
            for name in open.watching { held.refuse(name, problem) }
            news.names.formUnion(open.watching)
            streamLost(after: streamPace.fail())
        default: streamLost(after: max(streamPace.fail(), reply.retryAfter ?? .zero))
        }
    }

    private mutating func refusePresences(_ keys: [String], _ problem: ServerProblem) {
        for key in keys {
            presences[key] = nil
            commands.append(.presenceRefused(key: key, problem))
        }
    }

    private mutating func steer(_ difference: (watch: [String], unwatch: [String], presences: [String: JSON])) {
        guard var open = stream, let name = open.name else { return }
        var watch = JSON.Object()
        for view in difference.watch {
            // Without a tag, because the answer to this request is no proof that a tag is current: a value in the stream
            // can come after it. Late patches of an earlier watch have no base either.
            held.distrust(view)
            watch[view] = .null
        }
        // From here on events can lack these views: whoever watches one again waits for its next value.
        news.names.formUnion(held.markStale(difference.unwatch, since: lastHeard ?? time))
        open.sequence += 1
        var body: JSON.Object = JSON.Object()
        body["seq"] = .number(JSON.Number(Int64(open.sequence)))
        if !difference.watch.isEmpty { body["watch"] = .object(watch) }
        if !difference.unwatch.isEmpty { body["unwatch"] = .array(difference.unwatch.map { .string($0) }) }
        if !difference.presences.isEmpty { body["presence"] = Self.object(difference.presences) }
        (open.steering, open.nextSteering) = (difference, nil)
        stream = open
        _ = start(WireRequest("v1/live/\(name)", JSON.object(body).bytes), .steering, limit: Self.answerLimit)
    }

    private mutating func steered(_ reply: WireReply?) {
        guard var open = stream, let change = open.steering else { return }
        guard let reply, reply.status == 200 else {
            if let reply, (400..<500).contains(reply.status), ![401, 404, 409, 429].contains(reply.status),
                !change.presences.isEmpty
            {
                // A refused request does not use its number.
                open.sequence -= 1
                open.steering = nil
                stream = open
                return refusePresences(Array(change.presences.keys), Self.problem(of: reply))
            }
            if reply?.status == 401 { refuseToken(Self.problem(of: reply ?? WireReply(status: 401)).detail) }
            closeStream()
            // Opening is resuming: nothing is lost with the stream.
            return streamLost(after: reply?.status == 404 ? .zero : streamPace.fail())
        }
        open.watching.formUnion(change.watch)
        open.watching.subtract(change.unwatch)
        for (key, row) in change.presences { open.presences[key] = row == .null ? nil : row }
        open.steering = nil
        stream = open
        for name in change.unwatch {
            if unsaved.contains(name) { keepValues() }
            // A view that is watched again shows its last value until the next one comes.
            if watch[name] == nil { held.forget(name) }
        }
    }

    private mutating func refuseToken(_ reason: String) {
        guard case .known(let text) = token else { return }
        (token, refusedToken, tokenReason) = (.unknown, text, reason)
        // The app is asked at once, and again with pauses.
        if tokenPace.fails > 0 || text == nil { return waitForToken(reason) }
        _ = tokenPace.fail()
    }

    private mutating func markStale() {
        staleTime = nil
        news.names.formUnion(held.markStale(since: lastHeard ?? time))
    }

    // MARK: Actions

    /// Takes steps of the queue, and makes them durable.
    private mutating func record(_ records: [QueueRecord]) {
        guard !records.isEmpty else { return }
        guard isOpen else {
            earlyRecords += records
            return
        }
        for record in records { line.apply(record) }
        write(records)
    }

    private mutating func write(_ records: [QueueRecord]) {
        guard sessionFault == nil else { return }
        // What the device does not have needs no further step there.
        let kept = records.filter { record in
            if case .added = record { true } else { record.id.map { line[$0]?.isOfProcess != true } ?? true }
        }
        if !kept.isEmpty { commands.append(.write(kept)) }
    }

    private mutating func send() {
        var stopped: Set<String> = []
        let ready = line.ready(stopsAtRefusal: stopsAtRefusal).filter { action in
            let isDue = (attempts[action.id]?.next ?? now) <= now
            // Numbers are given in order.
            if action.number == nil, !isDue { stopped.insert(action.space) }
            return isDue && (action.number != nil || !stopped.contains(action.space))
        }
        let numbering = ready.compactMap { action -> QueueRecord? in
            guard action.number == nil else { return nil }
            let record = line.numbering(action)
            line.apply(record)
            return record
        }
        // One write for all, before the first is sent.
        write(numbering)
        for action in ready {
            guard let action = line[action.id], let number = action.number else { continue }
            line.setFlying(action.id, true)
            awaited[action.id]?.number = number
            awaited[action.id]?.client = action.client
            var fields = [
                (
                    name: "Headwater-Queue",
                    value: "\(action.client);\(number);\(line.answeredNumber(before: action))"
                )
            ]
            if let time = action.time { fields.append(("Headwater-Time", time)) }
            if let hash = action.documentHash { fields.append(("Headwater-Document", hash)) }
            let space = PercentEncoding.encoded(action.space)
            let request = WireRequest("v1/spaces/\(space)/\(action.name)", action.input, fields: fields)
            _ = start(request, .action(action.id), limit: Self.answerLimit)
        }
    }

    private mutating func answered(_ id: String, _ reply: WireReply?) {
        line.setFlying(id, false)
        guard line[id] != nil else { return }
        guard let reply else { return again(id, after: nil) }
        switch reply.status {
        case 200..<300:
            guard let content = try? JSON(parsing: reply.body, depth: JSONReader.greatestDepthLimit) else {
                return again(id, after: nil)
            }
            accept(id, ActionReply(content))
        case 401:
            refuseToken(Self.problem(of: reply).detail)
            again(id, after: .zero)
        case 425, 429, 502, 503, 504: again(id, after: reply.retryAfter)
        case 422 where Self.problem(of: reply).type == "/problems/clock" && line[id]?.time != nil:
            // Nothing was kept. The action is predicted with the present time and, if that is refused too, without one.
            let isFirst = retimed.insert(id).inserted
            record([.timed(id: id, isFirst ? Self.text(ofTime: time) : nil)])
            again(id, after: .zero)
        default:
            let problem = Self.problem(of: reply)
            if reply.status == 410, problem.type == "/problems/answered-before" { return accept(id, .unknown) }
            refuse(id, problem)
        }
    }

    private mutating func again(_ id: String, after least: Duration?) {
        let count = attempts[id]?.count ?? 0
        let pause = least == .zero ? .zero : max(actionPace.pause(after: count), least ?? .zero)
        attempts[id] = (count + 1, now + pause)
    }

    private mutating func accept(_ id: String, _ reply: ActionReply) {
        tokenPace.succeed()
        attempts[id] = nil
        retimed.remove(id)
        record([.over(id: id)])
        guard awaited[id] != nil else { return }
        awaited[id]?.reply = reply
        commands.append(.settle(id: id, .durable(reply)))
        settleShown()
    }

    private mutating func refuse(_ id: String, _ problem: ServerProblem) {
        attempts[id] = nil
        record([.refused(id: id, problem)])
        end(id, .refused(problem))
    }

    /// Ends the wait of a caller.
    private mutating func end(_ id: String, _ outcome: ActionEnding) {
        guard let action = awaited.removeValue(forKey: id) else { return }
        if !action.isShown { news.over.append(id) }
        commands.append(.settle(id: id, outcome))
    }

    /// Ends the wait for the actions that the watched views show.
    private mutating func settleShown() {
        for (id, action) in awaited {
            if !action.isShown, isOver(action) {
                awaited[id]?.isShown = true
                news.over.append(id)
                commands.append(.settle(id: id, .shown))
            }
            // The answer is still to come if the event was faster.
            if awaited[id]?.isShown == true, action.reply != nil { awaited[id] = nil }
        }
    }

    private func isOver(_ action: AwaitedAction) -> Bool {
        if let number = action.number, action.client == line.client, (held.queue[action.space] ?? 0) >= number {
            return true
        }
        guard let reply = action.reply else { return false }
        if action.isReset || (held.versions[action.space] ?? -1) >= reply.version { return true }
        // Nothing of the space is shown, or is about to be.
        return !watch.names.contains { name in
            watch[name]?.space == action.space && watch.isRead(name) && held.views[name]?.problem == nil
        }
    }

    /// A time in seconds since 1970 as `Headwater-Time` has it.
    package static func text(ofTime seconds: Double) -> String {
        Timestamp(microseconds: Int64(seconds * 1_000_000)).description
    }

    // MARK: The subject

    /// Leaves the session of the subject. Its actions wait on the device.
    private mutating func leave() {
        guard subject != nil else { return }
        unsaved = unsaved.filter { !$0.hasSuffix("!replica") }
        keepValues()
        closeStream()
        for (number, exchange) in exchanges {
            switch exchange.aim {
            case .action, .identity: commands.append(.cancel(number))
            case .stream, .steering: break
            }
        }
        exchanges = [:]
        for id in awaited.keys.sorted() { end(id, .abandoned(.anotherSubject)) }
        news.names.formUnion(held.views.keys)
        for name in held.views.keys where name.hasSuffix("!replica") {
            news.replicas.append((name, .gone(.anotherSubject)))
        }
        held = HeldValues()
        line = ActionLine(client: "", processClient: "")
        (attempts, unsaved, saveTime) = ([:], [], nil)
        (nextOpening, staleTime, lastHeard) = (nil, nil, nil)
        (subject, isOpen, storageFault, sessionFault) = (nil, false, nil, nil)
        (identity, isIdentityCurrent, isAskingIdentity, nextIdentity) = (nil, false, false, nil)
        (unwritten, nextWriting) = ([], nil)
    }

    // MARK: Keeping

    private mutating func keepLater(_ name: String) {
        unsaved.insert(name)
        saveTime = saveTime ?? now + Self.keepPause
    }

    private mutating func keepValues() {
        saveTime = nil
        defer { unsaved = [] }
        guard let subject, isOpen, !unsaved.isEmpty else { return }
        var values: [(name: String, value: KeptValue?)] = []
        for name in unsaved.sorted() {
            guard let one = held.views[name] else { continue }
            if one.hasReplica {
                if let address = watch[name], let tag = one.tag {
                    commands.append(.keepReplica(subject: subject, address, tag: tag, time: time))
                }
                continue
            }
            values.append((name, one.value.map { KeptValue(value: $0, tag: one.tag, time: time) }))
        }
        if !values.isEmpty { commands.append(.keep(subject: subject, values)) }
    }

    // MARK: Telling

    private mutating func setConnection(_ connection: ClientStatus.ConnectionPhase) {
        guard state.connection != connection else { return }
        state.connection = connection
        state.since = time
    }

    /// Adds what has changed to the commands, as one step.
    private mutating func publish() {
        var shown = ShownNews(over: news.over)
        shown.replicas = news.replicas.compactMap { name, replica in
            watch[name].map { ($0, replica) }
        }
        shown.values = news.names.sorted().compactMap { name in
            watch[name].map { ($0, held.shown(name)) }
        }
        news = NewsDraft()
        if !shown.isEmpty {
            // Readers have the values before a caller is told that they are shown, and before they are kept.
            let place = commands.firstIndex { command in
                switch command {
                case .settle, .keepReplica: true
                default: false
                }
            }
            commands.insert(.show(shown), at: place ?? commands.endIndex)
        }
        state.storageFault = sessionFault ?? storageFault
        (state.waiting, state.refused) = line.counts
        if state != shownStatus {
            shownStatus = state
            commands.append(.status(state))
        }
    }

    private static func problem(of reply: WireReply) -> ServerProblem {
        ServerProblem((try? JSON(parsing: reply.body)) ?? .null, status: reply.status)
    }
}

extension ServerProblem {
    static let discarded = ServerProblem(type: "/problems/discarded", detail: "the action was discarded")
    static let anotherSubject = ServerProblem(
        type: "/problems/another-subject", detail: "the token has another subject; the action waits for its own")
    static let tooManyViews = ServerProblem(
        type: "/problems/too-many-views", detail: "a client watches at most \(WatchSet.viewsLimit) views")
}
