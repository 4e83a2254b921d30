package import Streams
import JSON
package import StateStore

/// The reason that the memory of a stream cannot begin with the history of its space.
package enum ReplayFailure: Error, Sendable {
    /// The journal no longer has the commits up to this version of the space, or those of `common` that they need.
    case gone(oldest: Int)
    /// The journal cannot be read.
    case journal(JournalFailure)
    /// Too many requests for the past wait.
    case busy
}

extension PastReader {
    /// Computes the memory that a stream would have if the space had had it from version 0 on, on the thread of the past.
    package func replayHistory(
        of program: StreamProgram, in space: SpaceName, for executor: any Executor,
        _ reply: @escaping (Result<ReplayedMemory, ReplayFailure>) -> Void
    ) {
        run(
            for: executor,
            { context throws(PastRefusal) in
                do throws(ReplayFailure) {
                    return Result<ReplayedMemory, ReplayFailure>.success(
                        try HistoryReplay(program, space, context.journal, context.registry).run())
                } catch {
                    return .failure(error)
                }
            },
            then: { result in
                switch result {
                case .success(let replayed): reply(replayed)
                case .failure: reply(.failure(.busy))
                }
            })
    }
}

/// The replay of the history of a space for one stream.
private struct HistoryReplay {
    private static let pageSize = 500

    private let stream: RememberedStream
    private let memory: Memory
    private let replay: Replay
    private let registry: Registry
    private let space: SpaceName
    private let journal: any Journal

    init(_ program: StreamProgram, _ space: SpaceName, _ journal: any Journal, _ registry: Registry) {
        replay = Replay(of: space, registry)
        memory = Memory(RememberedStreams.variable(of: program.main.id ?? ""))
        stream = RememberedStream(program, memory, replay.views)
        self.registry = registry
        self.space = space
        self.journal = journal
    }

    func run() throws(ReplayFailure) -> ReplayedMemory {
        stream.begin(at: 0)
        while true {
            let commits = try page(of: space, after: replay.moment.version)
            if replay.moment.version == 0, let first = commits.first { try begin(before: first) }
            for commit in commits {
                try catchUp(common: commit.common)
                try attempt { () throws(JournalFailure) in try replay.play(commit) }
                let withheld = withheldInput(of: commit)
                for action in PerformedAction.all(of: commit.action, commit.input) {
                    remember(
                        action.name, action.input, withholding: action.place.dropFirst().reduce(withheld) { $0[$1] },
                        at: commit.timeOfAlarms ?? commit.at)
                }
            }
            if commits.count < Self.pageSize { break }
        }
        // Without a history the stream begins with its definition.
        if replay.moment.version == 0 { memory.removeAll() }
        return ReplayedMemory(of: memory, at: replay.moment.version)
    }

    /// The parts of a commit's input that the stream does not see: all of it, if the commit was hidden when it was made, and
    /// the stream has not the rule that commits of its feature are hidden.
    private func withheldInput(of commit: CommitRecord) -> PrivateParts {
        let wasHidden = commit.withheld.contains(CommitRecord.hiddenMark)
        if wasHidden, !commit.hasPart(ofFeature: registry.hidesCommits(of:)) { return .whole }
        return registry.privateInput(of: commit.action, commit.input, beside: commit.withheld)
    }

    /// Takes the values of the sources at version 0, with the version of `common` that the first commit was made with.
    private func begin(before first: CommitRecord) throws(ReplayFailure) {
        let past = try attempt { () throws(JournalFailure) in try journal.load(.common, at: first.common) }
        guard case .state(let stored, _) = past else { throw .gone(oldest: first.version) }
        try attempt { () throws(JournalFailure) in try replay.begin(common: stored) }
        stream.connect(replay.views, in: replay.graph)
        remember("", nil, withholding: .none, at: first.at)
    }

    private func catchUp(common version: Int) throws(ReplayFailure) {
        while replay.moment.common < version {
            let commits = try page(of: .common, after: replay.moment.common)
            guard !commits.isEmpty else { return }
            for commit in commits where commit.version <= version {
                try attempt { () throws(JournalFailure) in try replay.play(commit) }
            }
        }
    }

    private func remember(
        _ action: String, _ input: [UInt8]?, withholding withheld: PrivateParts, at time: Timestamp
    ) {
        stream.refill(shareOf: 1)
        stream.elapse(to: time)
        stream.remember(
            OwnChange(
                action: action, input: input, withholding: withheld, version: replay.moment.version, at: time))
    }

    private func page(of space: SpaceName, after version: Int) throws(ReplayFailure) -> [CommitRecord] {
        let history = try attempt { () throws(JournalFailure) in
            try journal.read(space, after: version, limit: Self.pageSize)
        }
        switch history {
        case .commits(let commits): return commits
        case .gone(let oldest): throw .gone(oldest: oldest)
        }
    }

    private func attempt<Value>(_ body: () throws(JournalFailure) -> Value) throws(ReplayFailure) -> Value {
        do throws(JournalFailure) {
            return try body()
        } catch {
            throw .journal(error)
        }
    }
}

extension CommitRecord {
    /// The time that the operators saw in a commit by time, whose own time may be later; nil for another commit.
    fileprivate var timeOfAlarms: Timestamp? {
        guard action == "streams/elapsed", let input, let json = try? JSON(parsing: input),
            case .string(let due)? = json["due"]
        else { return nil }
        return Timestamp(due)
    }
}
