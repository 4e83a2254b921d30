import HTTP
import Sockets
import StateStore

/// Everything that is on its way to readers, of one loop.
final class Delivery {
    /// For how long views are watched after the last reader has gone: whoever waits for change after change comes back at once.
    static let lingerNanoseconds: Int64 = 3_000_000_000
    /// How many sets of views are remembered at the most that nobody reads.
    static let relaysLimit = 10_000

    /// The bytes of values that relays keep at the most which nobody reads just now.
    static let keptBytesLimit = 64 * 1_024 * 1_024

    let store: Store
    let metrics: Metrics
    let tags: ViewTags
    private let loop: EventLoop
    private let alarms: LoopScheduler
    private var relays: [Key: Relay] = [:]
    /// The bytes of values that relays have taken since they were last forgotten.
    private var keptBytes = 0
    /// The relays by their space.
    private var spaces: [SpaceName: [Relay]] = [:]
    private var dirty: [any Settling] = []
    private var watching: [Relay] = []
    private var isSweepSet = false
    /// Spreads the times at which clients come back.
    private var jitter = SystemRandomNumberGenerator()
    /// Adds what pages of other origins need, where they may ask.
    var addOriginFields: (Connection, inout FieldWriter) -> Void = { _, _ in }
    /// Answers with a problem.
    var answer: (Exchange, Problem) -> Void = { _, _ in }
    /// A stream has come to its end.
    var streamLeft: (Connection) -> Void = { _ in }

    private struct Key: Hashable {
        let space: SpaceName
        let views: [String]
        let isSingle: Bool
    }

    init(_ store: Store, _ tags: ViewTags, _ loop: EventLoop, _ alarms: LoopScheduler, _ metrics: Metrics) {
        self.store = store
        self.tags = tags
        self.loop = loop
        self.alarms = alarms
        self.metrics = metrics
        store.unloaded = { [unowned self] in forget($0) }
    }

    var now: Int64 { loop.now }

    /// The relay for views of a space.
    func relay(for views: [String], in space: SpaceName, isSingle: Bool) -> Relay {
        let key = Key(space: space, views: views, isSingle: isSingle)
        if let relay = relays[key] { return relay }
        if relays.count >= Self.relaysLimit {
            relays = relays.filter { !$0.value.forget() }
            spaces = Dictionary(grouping: relays.values, by: \.space)
        }
        let relay = Relay(space, views, isSingle: isSingle, self)
        relays[key] = relay
        spaces[space, default: []].append(relay)
        return relay
    }

    /// Forgets the values of a space that was unloaded.
    private func forget(_ space: SpaceName) {
        guard let relays = spaces[space] else { return }
        for relay in relays { _ = relay.forget() }
    }

    /// Notes how many bytes a relay has taken. Beyond a limit, the values that nobody reads just now are forgotten: they are read anew when they are asked for.
    func noteTaken(_ bytes: Int) {
        keptBytes += bytes
        guard keptBytes > Self.keptBytesLimit else { return }
        keptBytes = 0
        for relay in relays.values { _ = relay.forget() }
    }

    /// Says that nothing has changed; `wait` is what a client that would have waited is told.
    func sendUnchanged(_ exchange: Exchange, tag: String, wait: Int?) {
        exchange.answer(Status(304), nil, []) { writer in
            writer.quoted("ETag", tag)
            writer.field("Cache-Control", "no-cache")
            writer.field("Vary", "Accept")
            if let wait { Self.addWait(wait, &writer) }
            addOriginFields(exchange.connection, &writer)
        }
    }

    /// Tells a client that it may wait for so long.
    static func addWait(_ seconds: Int, _ writer: inout FieldWriter) {
        writer.field(begunAs: waitStart, seconds, "\r\n")
    }

    private static let waitStart = Array("Preference-Applied: wait=".utf8)

    /// A space was forgotten: its views have other tags from now on, whether their values are others or not.
    func noteForgotten(_ space: SpaceName) {
        for relay in relays.values where relay.space == space { relay.noteForgotten() }
    }

    /// Has something settled at the end of the turn.
    func noteDirty(_ one: any Settling) {
        dirty.append(one)
    }

    /// Does something after this turn.
    func afterwards(_ body: @escaping () -> Void) {
        let owned = OnLoop(body)
        loop.post { owned.value() }
    }

    /// Passes on what this turn has changed. Whoever was told may have changed more.
    func flush() {
        while !dirty.isEmpty {
            let settling = dirty
            dirty = []
            for one in settling { one.settle() }
        }
    }

    func retryMilliseconds() -> Int { Int.random(in: 1_000...2_000, using: &jitter) }

    // MARK: What nobody reads any more

    func noteWatching(_ relay: Relay) {
        watching.append(relay)
        setSweep()
    }

    private func setSweep() {
        guard !isSweepSet else { return }
        isSweepSet = true
        alarms.after(nanoseconds: Self.lingerNanoseconds) { [unowned self] in
            isSweepSet = false
            sweep()
        }
    }

    private func sweep() {
        for relay in watching where relay.isUnused && now - relay.unusedSince >= Self.lingerNanoseconds { relay.stopWatching() }
        watching.removeAll { !$0.isWatching }
        if watching.contains(where: \.isUnused) { setSweep() }
    }

    /// Somebody reads no longer: what nobody reads is to be let go of.
    func noteUnused() {
        setSweep()
    }

    /// How many long polls wait.
    var pollersCount: Int { watching.reduce(0) { $0 + $1.pollersCount } }
}

/// What gathers news in the course of a turn, and passes them on at its end.
protocol Settling: AnyObject {
    /// The turn is over.
    func settle()
}
