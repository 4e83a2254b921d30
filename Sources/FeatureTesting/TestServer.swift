import JSON
import Reactive
import ScriptedOutside
public import StateStore

/// A server of features for tests: without a network and without threads, on a clock that the test advances.
///
///     let server = try TestServer([counter])
///     try server.perform("counter/add", #"{"by": 2}"#)
///     #expect(try server.view("counter.count") == "2")
public final class TestServer {
    private let features: [Feature]
    private let journal = MemoryJournal()
    // The time is 2023-11-14 22:13:20 UTC when the server begins.
    private let executor = SimulatedExecutor(from: Timestamp(seconds: 1_700_000_000))
    private let fetcher = ScriptedFetcher()
    private var stores: Stores

    /// A server of features, without commits. Throws the fault of the registration, if there is one.
    public init(_ features: [Feature]) throws {
        self.features = features
        stores = try Self.stores(features, journal, executor, fetcher)
        executor.run()
    }

    private static func stores(
        _ features: [Feature], _ journal: MemoryJournal, _ executor: SimulatedExecutor, _ fetcher: ScriptedFetcher
    ) throws -> Stores {
        try Stores(
            Registry(features), executors: [executor], writer: InlineJournalWriter(journal), fetcher: fetcher, seed: 1,
            clock: { executor.now })
    }

    /// Starts the server again on the commits that it has kept, as after a crash.
    public func restart() throws {
        stores = try Self.stores(features, journal, executor, fetcher)
        executor.run()
    }

    /// The time of the server's clock.
    public var now: Timestamp { executor.now }

    /// Advances the clock, alarm by alarm.
    public func advance(_ duration: Duration) {
        executor.advance(duration)
    }

    // MARK: Actions and views

    /// Performs the action `feature/name` with an input in JSON, for the subject of a caller. Throws the refusal, if it
    /// is refused.
    @discardableResult
    public func perform(
        _ action: String, _ input: String = "", in space: String = "main", by subject: String = "", key: String? = nil
    ) throws -> Answer {
        let names = action.split(separator: "/").map(String.init)
        guard names.count == 2 else { throw TestRefusal("\(action) is not feature/name") }
        let name = try Self.space(space)
        var result: Result<Answer, Refusal>?
        stores[0].perform(
            Call(
                feature: names[0], action: names[1], input: input.isEmpty ? nil : Array(input.utf8), key: key,
                by: subject),
            in: name
        ) { result = $0 }
        executor.run()
        return try Self.value(result)
    }

    /// Returns a view as JSON text, without spaces between its parts.
    public func view(_ name: String, in space: String = "main") throws -> String {
        let space = try Self.space(space)
        var result: Result<ViewSnapshot, Refusal>?
        stores[0].read(try permit(name, in: space)) { result = $0 }
        executor.run()
        let frame = try Self.value(result).views[0].frame
        switch frame.value {
        case .success(let value): return String(decoding: value.bytes, as: UTF8.self)
        case .failure(let failure): throw TestRefusal("\(failure)")
        }
    }

    private func permit(_ view: String, in space: SpaceName) throws -> ReadPermit {
        try ReadPermit.issue([view], in: space, to: .server, by: stores[0].registry)
    }

    /// Watches a view until the record is released.
    public func watch(_ view: String, in space: String = "main") throws -> WatchRecord {
        let record = WatchRecord()
        record.watch = stores[0].watch(try permit(view, in: try Self.space(space))) { news in
            guard case .success(let frames) = news else { return }
            for (_, frame) in frames {
                guard case .success(let value) = frame.value else { continue }
                record.values.append(String(decoding: value.bytes, as: UTF8.self))
            }
        }
        executor.run()
        return record
    }

    /// The values of a watched view.
    public final class WatchRecord {
        /// The values as JSON text, first the one at the beginning of the watch.
        public fileprivate(set) var values: [String] = []
        fileprivate var watch: Watch?
    }

    // MARK: The outside

    /// The requests that effects have sent, in order.
    public var requests: [OutgoingRequest] { fetcher.requests }

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

    private static func space(_ name: String) throws -> SpaceName {
        guard let space = SpaceName(name) else { throw TestRefusal("\(name) cannot be the name of a space") }
        return space
    }

    private static func value<Value>(_ result: Result<Value, Refusal>?) throws -> Value {
        switch result {
        case .success(let value): return value
        case .failure(.rejected(let rejection)): throw TestRefusal("\(rejection)", rejection)
        case .failure(let refusal): throw TestRefusal("\(refusal)")
        case nil: throw TestRefusal("no answer")
        }
    }
}

/// The reason that a server in a test refused an action or a view.
public struct TestRefusal: Error, CustomStringConvertible {
    /// The reason.
    public let description: String
    /// The rejection by the action, if the action rejected the call.
    public let rejection: Rejection?

    init(_ description: String, _ rejection: Rejection? = nil) {
        self.description = description
        self.rejection = rejection
    }
}

extension TestServer: CustomReflectable {
    /// What a failed expectation shows of the server.
    public var customMirror: Mirror {
        Mirror(self, children: ["features": features.map(\.name), "now": now], displayStyle: .class)
    }
}
