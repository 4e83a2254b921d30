package import Reactive

/// Runs with several listeners, one for each key. A run starts with the first listener, and ends by itself or with the
/// last one. A listener receives the events from the time it joins. Use it on one thread.
package final class SharedRuns {
    private var runs: [String: SharedRun] = [:]

    /// No runs.
    package init() {}

    /// The number of open runs.
    package var count: Int { runs.count }

    /// Joins the run of a key. If the definition has changed since the run started, this starts a new run, and the
    /// listeners of the old one stay with it.
    package func join(
        _ key: String, _ program: StreamProgram, on scheduler: any Scheduler,
        sources: @autoclosure () -> ExternalSources,
        receive: @escaping (StreamEvent) -> Void
    ) -> Participation {
        if let run = runs[key], run.program.documents == program.documents {
            return Participation(run.admit(receive), in: run)
        }
        let run = SharedRun(program) { [weak self] run in
            if self?.runs[key] === run { self?.runs[key] = nil }
        }
        runs[key] = run
        let participation = Participation(run.admit(receive), in: run)
        run.begin(on: scheduler, sources())
        return participation
    }

    /// The subscription of one listener to a shared run. It ends when it is cancelled or released.
    package final class Participation {
        private let member: Participant
        private var run: SharedRun?

        fileprivate init(_ member: Participant, in run: SharedRun) {
            self.member = member
            self.run = run
        }

        deinit {
            cancel()
        }

        /// Leaves the run.
        package func cancel() {
            run?.dismiss(member)
            run = nil
        }
    }

    /// A listener of a run.
    fileprivate final class Participant {
        var receive: ((StreamEvent) -> Void)?

        init(_ receive: @escaping (StreamEvent) -> Void) {
            self.receive = receive
        }
    }

    /// A run and its listeners.
    fileprivate final class SharedRun {
        let program: StreamProgram
        private var run: StreamRun?
        private var hasEnded = false
        private var members: [Participant] = []
        private let ended: (SharedRun) -> Void

        init(_ program: StreamProgram, ended: @escaping (SharedRun) -> Void) {
            self.program = program
            self.ended = ended
        }

        func begin(on scheduler: any Scheduler, _ sources: ExternalSources) {
            let run = StreamRun(program, on: scheduler, sources: sources) { [weak self] in self?.tell($0) }
            if !hasEnded { self.run = run }
        }

        func admit(_ receive: @escaping (StreamEvent) -> Void) -> Participant {
            let member = Participant(receive)
            members.append(member)
            return member
        }

        func dismiss(_ member: Participant) {
            member.receive = nil
            members.removeAll { $0 === member }
            if members.isEmpty { end() }
        }

        private func tell(_ event: StreamEvent) {
            if case .value = event {} else { end() }
            // A listener that leaves meanwhile receives nothing; one that joins receives the next event.
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
