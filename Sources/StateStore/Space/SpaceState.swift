/// The life cycle of a space and its versions: a pure state machine.
///
/// Each event returns a decision, which the space carries out. `durable <= version`, and `version == durable` if
/// nothing is outstanding.
struct SpaceState {
    /// The maximum number of waiting commits of other processes. One more reloads the space.
    static let missedLimit = 64

    /// The presence of the content in memory.
    enum SpacePresenceState {
        /// It must be loaded from the journal.
        case away
        /// It is being loaded.
        case loading
        /// It is complete.
        case here
        /// It contains a commit that was not stored. It is loaded again when the journal has answered all other
        /// commits.
        case broken
        /// It may not be used while the space is being deleted.
        case closed
    }

    /// The next step after an outcome.
    enum OutcomeDecision {
        /// The outcome belongs to an earlier generation.
        case ignore
        /// Deliver and answer everything up to `durable`.
        case settle
        /// Undo everything after `durable`, because of this failure, or because other processes committed first (nil).
        case undo(JournalFailure?)
    }

    /// The next step when an outcome has been carried out.
    enum Continuation {
        case wait
        case load
        /// Follow these commits of other processes.
        case follow([CommitRecord])
    }

    /// The next step for a commit of another process.
    enum FollowDecision {
        /// It is known already, or it waits.
        case ignore
        case load
        /// Apply its facts: `version` is its version already.
        case apply
    }

    private(set) var presence = SpacePresenceState.away
    /// The version of the content.
    private(set) var version = 0
    /// The version that is stored.
    private(set) var durable = 0
    /// The number of this generation of commits, of which each builds on the one before.
    private(set) var generation: Int
    /// The number of commits, of any generation, without an outcome.
    private(set) var outstanding = 0
    /// The number of changes that came from the journal.
    private(set) var arrivals = 0
    /// Commits of other processes that arrived while they could not be applied.
    private var missed: [CommitRecord] = []
    private var loads = 0
    /// The number of the load that brings the content anew while it is in use; nil for none, and once the content is
    /// another.
    private var renewal: Int?

    init(generation: Int) {
        self.generation = generation
    }

    var isHere: Bool { presence == .here }
    /// True if everything in memory is stored.
    var isDurable: Bool { version == durable }
    /// True if unloading loses nothing, as far as this state machine knows.
    var isIdle: Bool { (presence == .away || presence == .here) && outstanding == 0 }

    // MARK: Loading

    /// Returns the number of the load to start; nil if the content is here, on its way, or has to wait.
    mutating func beginLoading() -> Int? {
        guard presence == .away else { return nil }
        presence = .loading
        loads += 1
        return loads
    }

    /// Returns the number of a load that brings the content anew while it is in use. Precondition: `presence == .here`, and
    /// everything is stored.
    mutating func beginRenewal() -> Int {
        assert(presence == .here && isDurable)
        loads += 1
        renewal = loads
        return loads
    }

    /// Ends a renewal: its load is not awaited any more.
    mutating func endRenewal() { renewal = nil }

    /// Returns true if the result of a load is still awaited.
    func isAwaited(_ load: Int) -> Bool {
        load == loads && (presence == .loading || presence == .here && renewal == load)
    }

    /// Takes the content of a load. Precondition: a load is awaited.
    mutating func arrive(at version: Int) {
        assert(isAwaited(loads))
        renewal = nil
        self.version = version
        durable = version
        presence = .here
        arrivals += 1
    }

    /// Drops the content, so that the next use loads it.
    mutating func lose() {
        presence = .away
    }

    /// Returns the missed commits if they can be followed now.
    mutating func takeMissed() -> [CommitRecord] {
        guard presence == .here, outstanding == 0, !missed.isEmpty else { return [] }
        defer { missed = [] }
        return missed
    }

    // MARK: Committing

    /// Makes the next version in memory. Precondition: `presence == .here`.
    mutating func commit() {
        version += 1
        renewal = nil
    }

    /// Notes that a commit is on its way to the journal.
    mutating func submit() {
        outstanding += 1
    }

    /// Notes that a commit was stored within the call, when nothing else was outstanding.
    mutating func storeAtOnce() {
        durable = version
    }

    /// Takes the outcome of a commit. `next` makes the number of a new generation.
    mutating func receive(_ outcome: SubmissionOutcome, next: () -> Int) -> OutcomeDecision {
        outstanding -= 1
        guard outcome.generation == generation else { return .ignore }
        switch outcome.status {
        case .stored:
            durable = max(durable, outcome.version)
            return .settle
        case .moved: return undo(nil, next)
        case .failed(let failure): return undo(failure, next)
        }
    }

    private mutating func undo(_ failure: JournalFailure?, _ next: () -> Int) -> OutcomeDecision {
        generation = next()
        if presence == .here { presence = .broken }
        return .undo(failure)
    }

    /// Decides how to continue when an outcome has been carried out.
    mutating func resume() -> Continuation {
        guard outstanding == 0 else { return .wait }
        if presence == .broken {
            presence = .away
            return .load
        }
        let missed = takeMissed()
        return missed.isEmpty ? .wait : .follow(missed)
    }

    // MARK: Following

    /// Takes a commit of another process. A space without subscribers is not loaded for it.
    mutating func follow(_ record: CommitRecord, isWatched: Bool) -> FollowDecision {
        guard record.version > version || outstanding > 0 || presence == .loading || presence == .closed else {
            return .ignore
        }
        renewal = nil
        guard presence == .here, outstanding == 0 else {
            if missed.count == Self.missedLimit { missed = [] }
            missed.append(record)
            return presence == .away && isWatched ? .load : .ignore
        }
        guard record.version == version + 1 else {
            presence = .away
            return .load
        }
        version = record.version
        durable = version
        arrivals += 1
        return .apply
    }

    // MARK: Deleting

    /// Begins to delete the space.
    mutating func close() {
        presence = .closed
    }

    /// Ends an attempt to delete the space: it is loaded again, in a new generation. Outcomes of older commits no
    /// longer count.
    mutating func reopen(as generation: Int) {
        self.generation = generation
        presence = .away
    }
}
