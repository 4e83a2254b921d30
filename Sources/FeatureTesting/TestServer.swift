public import JSON
import Reactive
import ScriptedOutside
public import StateStore
import Synchronization

/// A server of features for tests: without a network and without threads, on a clock that the test advances.
///
///     let server = try TestServer([counter])
///     try server.perform("counter/add", #"{"by": 2}"#)
///     #expect(try server.view("counter.count") == "2")
///
/// It keeps the rules: `by` is the subject of the caller's token, `claims` are all its claims. Without them the caller has
/// no subject, as on a server without tokens. Each caller has all rights, so only rules refuse.
///
/// An effect that performs an action that does not exist makes the next call throw, or the end of the server stop the
/// test, so that a misspelling is not lost.
public final class TestServer {
    private let features: [Feature]
    private let journal = MemoryJournal()
    // The time is 2023-11-14 22:13:20 UTC when the server begins.
    private let executor = SimulatedExecutor(from: Timestamp(seconds: 1_700_000_000))
    private let fetcher = ScriptedFetcher()
    private let logLines = LogLines()
    private var stores: Stores
    /// The watches since the last start.
    private var watches: [OpenWatch] = []
    /// The misspelt actions of effects that a call has thrown.
    private var reported: Set<String> = []

    /// A server of features, without commits. Throws the fault of the registration, if there is one.
    public init(_ features: [Feature]) throws {
        self.features = features
        stores = try Self.stores(features, journal, executor, fetcher, logLines)
        executor.run()
    }

    deinit {
        if let message = misspelling { fatalError("\(message); no call of the test server has thrown this") }
    }

    private static func stores(
        _ features: [Feature], _ journal: MemoryJournal, _ executor: SimulatedExecutor, _ fetcher: ScriptedFetcher,
        _ lines: LogLines
    ) throws -> Stores {
        try Stores(
            Registry(features), executors: [executor], writer: InlineJournalWriter(journal), fetcher: fetcher, seed: 1,
            clock: { executor.now },
            log: FeatureLog(info: { lines.append($0) }, warning: { lines.append("warning: \($0)") }))
    }

    /// Starts the server again on the commits that it has kept, as after a crash. All streams end: watches have a refusal
    /// that says so, and rows of presence are gone.
    public func restart() throws {
        try throwMisspelling()
        for watch in watches { watch.record?.end(TestRefusal("the server was started again: watch the view again")) }
        watches = []
        stores = try Self.stores(features, journal, executor, fetcher, logLines)
        executor.run()
    }

    /// The time of the server's clock.
    public var now: Timestamp { executor.now }

    /// Advances the clock, alarm by alarm.
    public func advance(_ duration: Duration) {
        executor.advance(duration)
    }

    /// The lines that features have logged, and the failures of effects; those of warnings begin with `warning: `.
    public var log: [String] { logLines.all }

    // MARK: Actions

    /// Performs the action `feature/name` with an input in JSON, for a caller. Throws the refusal, if it is refused.
    @discardableResult
    public func perform(
        _ action: String, _ input: String = "", in space: String = "main", by subject: String = "",
        claims: JSON? = nil, key: String? = nil
    ) throws -> Answer {
        let bytes = input.isEmpty ? nil : Array(input.utf8)
        return try perform(action, bytes: bytes, in: space, Self.caller(subject, claims), key)
    }

    /// Performs the action `feature/name` with an input, for a caller.
    @discardableResult
    public func perform<Input: Record>(
        _ action: String, _ input: Input, in space: String = "main", by subject: String = "", claims: JSON? = nil,
        key: String? = nil
    ) throws -> Answer {
        try perform(action, bytes: input.json(), in: space, Self.caller(subject, claims), key)
    }

    /// Performs an action of a service, by its property: the compiler checks the name and the input.
    ///
    ///     try server.perform(\CounterService.add, Addition(by: 2))
    @discardableResult
    public func perform<Service: StateService, Input: Record>(
        _ action: KeyPath<Service, Action<Input>>, _ input: Input, in space: String = "main", by subject: String = "",
        claims: JSON? = nil, key: String? = nil
    ) throws -> Answer {
        try perform(try name(of: action), bytes: input.json(), in: space, Self.caller(subject, claims), key)
    }

    /// Performs an action of a service without an input, by its property.
    @discardableResult
    public func perform<Service: StateService>(
        _ action: KeyPath<Service, Action<NoInput>>, in space: String = "main", by subject: String = "",
        claims: JSON? = nil, key: String? = nil
    ) throws -> Answer {
        try perform(action, NoInput(), in: space, by: subject, claims: claims, key: key)
    }

    /// Performs an action of a service by its property, and returns the value that it answers.
    @discardableResult
    public func perform<Service: StateService, Input: Record, Output: JSONReadable>(
        _ action: KeyPath<Service, AnsweringAction<Input, Output>>, _ input: Input, in space: String = "main",
        by subject: String = "", claims: JSON? = nil, key: String? = nil
    ) throws -> Output {
        let caller = Self.caller(subject, claims)
        return try Output(parsing: perform(try name(of: action), bytes: input.json(), in: space, caller, key).result)
    }

    private func name<Service: StateService>(of path: PartialKeyPath<Service>) throws -> String {
        guard let name = registry.action(at: path) else {
            throw TestRefusal("\(Service.self) is the service of no feature of this server")
        }
        return name
    }

    private func perform(
        _ action: String, bytes: [UInt8]?, in space: String, _ caller: Caller, _ key: String?
    ) throws -> Answer {
        let names = action.split(separator: "/").map(String.init)
        guard names.count == 2 else { throw TestRefusal("\(action) is not feature/name") }
        let name = try Self.space(space)
        var result: Result<Answer, Refusal>?
        stores[0].perform(
            Call(ActionID(feature: names[0], action: names[1]), input: bytes, key: key, caller: caller), in: name
        ) { result = $0 }
        executor.run()
        try throwMisspelling()
        return try value(result, of: action)
    }

    // MARK: Views

    /// Returns a view as JSON text, without spaces between its parts, as a caller reads it. Throws if a rule of the view
    /// does not allow the caller to read it.
    public func view(
        _ name: String, in space: String = "main", by subject: String = "", claims: JSON? = nil
    ) throws -> String {
        let permit = try permit(name, in: space, Self.caller(subject, claims))
        var result: Result<ViewSnapshot, Refusal>?
        stores[0].read(permit) { result = $0 }
        executor.run()
        try throwMisspelling()
        switch try value(result, of: name).views[0].frame.value {
        case .success(let value): return String(decoding: value.bytes, as: UTF8.self)
        case .failure(let failure): throw TestRefusal("\(failure)")
        }
    }

    /// Returns the value of a view as a caller reads it.
    ///
    ///     #expect(try server.value(of: "cart.total", as: Money.self) == 12)
    public func value<Value: JSONReadable>(
        of name: String, as type: Value.Type = Value.self, in space: String = "main", by subject: String = "",
        claims: JSON? = nil
    ) throws -> Value {
        try Value(parsing: Array(view(name, in: space, by: subject, claims: claims).utf8))
    }

    private func permit(_ view: String, in space: String, _ caller: Caller) throws -> ReadPermit {
        let name: ViewKey
        do throws(ParameterFault) {
            name = try stores[0].viewName(ViewKey(view))
        } catch {
            let rejection = Rejection(.invalid, error.description, at: error.pointer, allowed: error.allowed)
            throw TestRefusal(error.description, rejection)
        }
        let reader = Reader(caller, Permissions([.init(.admin, in: [.any])]))
        let space = try Self.space(space)
        do throws(Refusal) {
            return try ReadPermit.issue([name], in: space, to: reader, by: registry)
        } catch {
            throw refusal(error, of: view)
        }
    }

    /// Watches a view for a caller until the record is released. Throws if the caller may not read it.
    public func watch(
        _ view: String, in space: String = "main", by subject: String = "", claims: JSON? = nil
    ) throws -> WatchRecord {
        let permit = try permit(view, in: space, Self.caller(subject, claims))
        let record = WatchRecord()
        record.rules = stores[0].watchRules(of: permit) { [weak record, weak self] refusal in
            record?.end(self?.refusal(refusal, of: view))
        }
        record.watch = stores[0].watch(permit) { [weak record, weak self] news in
            switch news {
            case .success(let frames): for (_, frame) in frames { record?.take(frame) }
            case .failure(let refusal): record?.end(self?.refusal(refusal, of: view))
            }
        }
        executor.run()
        try throwMisspelling()
        if record.values.isEmpty, let refusal = record.refusal { throw refusal }
        watches.removeAll { $0.record == nil }
        watches.append(OpenWatch(record: record))
        return record
    }

    /// A watch that the test may have released.
    private struct OpenWatch {
        weak var record: WatchRecord?
    }

    // MARK: Presence

    /// Opens a stream of a client that asks for a row in a table with presence.
    ///
    ///     let ada = try server.join("room.here", with: Seat(x: 1), by: "ada")
    ///     ada.leave()
    public func join(
        _ table: String, as key: String? = nil, with row: some Record, in space: String = "main",
        by subject: String = "", claims: JSON? = nil
    ) throws -> PresentClient {
        let row = String(decoding: try row.json(), as: UTF8.self)
        return try join(table, as: key, with: row, in: space, by: subject, claims: claims)
    }

    /// Opens a stream of a client that asks for its row in a table with presence. The row is named after the caller's
    /// subject unless `key` names another. It goes when the stay ends, after the grace of the table.
    public func join(
        _ table: String, as key: String? = nil, with row: String = "{}", in space: String = "main",
        by subject: String = "", claims: JSON? = nil
    ) throws -> PresentClient {
        guard registry.presences.contains(table) else {
            let tables = registry.presences.joined(separator: ", ")
            throw TestRefusal(
                "there is no table \(table) with presence: there are \(tables.isEmpty ? "none" : tables)")
        }
        let caller = Self.caller(subject, claims)
        let key = key ?? subject
        guard !key.isEmpty else { throw TestRefusal("say whose row it is: as: or by:") }
        // On a server without tokens any name is taken.
        let request = PresenceRequest(
            key, in: table, with: try JSON(parsing: Array(row.utf8)), caller,
            needsRule: !subject.isEmpty && key != subject)
        var result: Result<PresenceStay, Refusal>?
        stores[0].join(request, in: try Self.space(space)) { result = $0 }
        executor.run()
        try throwMisspelling()
        return PresentClient(try value(result, of: table)) { [executor] in executor.run() }
    }

    // MARK: The outside

    /// The requests that effects have sent, in order.
    public var requests: [OutgoingRequest] { fetcher.requests }

    /// The URLs of the requests that wait for an answer.
    public var pending: [String] { fetcher.underWay }

    /// Answers the first request under way whose URL contains `place`, or lets it fail. Returns false if there is none.
    @discardableResult
    public func answer(
        _ place: String, _ body: String = "", status: Int = 200, fields: [OutgoingRequest.HeaderField] = [],
        failing: Bool = false
    ) -> Bool {
        let isAsked = fetcher.answer(place, body, status: status, fields: fields, failing: failing)
        executor.run()
        return isAsked
    }

    // MARK: Refusals

    private var registry: Registry { stores[0].registry }

    private static func caller(_ subject: String, _ claims: JSON?) -> Caller {
        guard let claims else { return Caller(subject) }
        guard case .object(var members) = claims else { return Caller(subject, claims: claims) }
        var subject = subject
        if case .string(let text)? = members["sub"], subject.isEmpty { subject = text }
        members["sub"] = .string(subject)
        return Caller(subject, claims: .object(members))
    }

    private static func space(_ name: String) throws(TestRefusal) -> SpaceName {
        guard let space = SpaceName(name) else { throw TestRefusal("\(name) cannot be the name of a space") }
        return space
    }

    private var misspelling: String? { stores[0].misspellings.first { !reported.contains($0) } }

    private func throwMisspelling() throws {
        guard let message = misspelling else { return }
        reported.insert(message)
        throw TestRefusal(message)
    }

    private func value<Value>(_ result: Result<Value, Refusal>?, of name: String) throws -> Value {
        switch result {
        case .success(let value): return value
        case .failure(let refusal): throw self.refusal(refusal, of: name)
        case nil: throw TestRefusal("no answer")
        }
    }

    /// A refusal in words. `name` is the action, the view or the table.
    private func refusal(_ refusal: Refusal, of name: String) -> TestRefusal {
        switch refusal {
        case .rejected(let rejection): return TestRefusal("\(rejection)", rejection)
        case .repeated(let repeated): return self.refusal(repeated.refusal, of: name)
        case .noSuchAction:
            let actions = registry.actions.map { "\($0.feature)/\($0.name)" }.joined(separator: ", ")
            return TestRefusal("there is no action \(name): there are \(actions)")
        case .noSuchView(let view):
            let views = registry.views.map(\.name.description).joined(separator: ", ")
            return TestRefusal("there is no view \(view): there are \(views)")
        case .noView(let view, let reason): return TestRefusal("there is no view \(view): \(reason)")
        case .wrongSpace(.common): return TestRefusal("\(name) belongs to common: say in: \"common\"")
        case .wrongSpace(.space): return TestRefusal("\(name) belongs to the spaces, not to common")
        case .forbidden(let view): return TestRefusal("the rule of \(view) does not allow the caller to read it")
        case .keyReused: return TestRefusal("the key belongs to a call with another action or input")
        case .commitTooLarge(let bytes):
            return TestRefusal("the changes have \(bytes) bytes, more than a commit may have")
        case .tooManyViews(let bytes):
            return TestRefusal("the watched views have \(bytes) bytes, as many as they may have")
        default: return TestRefusal("\(refusal)")
        }
    }
}

extension TestServer: CustomStringConvertible, CustomReflectable {
    /// `a test server of diary at 2023-11-14T22:13:20.000000Z`.
    public var description: String {
        "a test server of \(features.map(\.name).joined(separator: ", ")) at \(now)"
    }

    /// What a failed expectation shows of the server.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["features": features.map(\.name), "now": now, "pending": pending, "log": log.suffix(5)],
            displayStyle: .class)
    }
}

/// The lines of a log.
private final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func append(_ line: String) { lines.withLock { $0.append(line) } }
}
