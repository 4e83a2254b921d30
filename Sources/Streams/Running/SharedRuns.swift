public import Reactive

/// The runs that several listen to: one for each key. It begins with the first who joins, and ends by itself or with the last who leaves; who joins
/// is told what comes from then on. On one thread.
public final class SharedRuns {
    private var runs: [String: Shared] = [:]

    /// No runs.
    public init() {}

    /// How many runs are under way.
    public var count: Int { runs.count }

    /// Joins the run of a key. Where the definition has changed since that began, this begins a new one, and those who have joined the old stay with
    /// it.
    public func join(
        _ key: String, _ program: Program, on scheduler: any Scheduler, feeds: @autoclosure () -> Feeds,
        receive: @escaping (Run.Event) -> Void
    ) -> Participation {
        if let run = runs[key], run.program.documents == program.documents { return Participation(run.admit(receive), in: run) }
        let run = Shared(program) { [weak self] run in
            if self?.runs[key] === run { self?.runs[key] = nil }
        }
        runs[key] = run
        let participation = Participation(run.admit(receive), in: run)
        run.begin(on: scheduler, feeds())
        return participation
    }

    /// The right to be told of a shared run. It ends when it is cancelled or released.
    public final class Participation {
        private let member: Member
        private var run: Shared?

        fileprivate init(_ member: Member, in run: Shared) {
            self.member = member
            self.run = run
        }

        deinit {
            cancel()
        }

        /// Leaves the run.
        public func cancel() {
            run?.dismiss(member)
            run = nil
        }
    }

    /// One who has joined a run.
    fileprivate final class Member {
        var receive: ((Run.Event) -> Void)?

        init(_ receive: @escaping (Run.Event) -> Void) {
            self.receive = receive
        }
    }

    /// A run and those who have joined it.
    fileprivate final class Shared {
        let program: Program
        private var run: Run?
        private var hasEnded = false
        private var members: [Member] = []
        private let ended: (Shared) -> Void

        init(_ program: Program, ended: @escaping (Shared) -> Void) {
            self.program = program
            self.ended = ended
        }

        func begin(on scheduler: any Scheduler, _ feeds: Feeds) {
            let run = Run(program, on: scheduler, feeds: feeds) { [weak self] in self?.tell($0) }
            if !hasEnded { self.run = run }
        }

        func admit(_ receive: @escaping (Run.Event) -> Void) -> Member {
            let member = Member(receive)
            members.append(member)
            return member
        }

        func dismiss(_ member: Member) {
            member.receive = nil
            members.removeAll { $0 === member }
            if members.isEmpty { end() }
        }

        private func tell(_ event: Run.Event) {
            if case .value = event {} else { end() }
            // Who leaves meanwhile is told nothing more, who joins is told what comes next.
            for member in members { member.receive?(event) }
        }

        private func end() {
            guard !hasEnded else { return }
            hasEnded = true
            run?.cancel()
            run = nil
            ended(self)
        }
    }
}
