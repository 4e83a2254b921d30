internal import Platform
internal import Ground
internal import Reactive
internal import StateStore

/// Fresh reads on a node that does not own the lane.
extension ClusterNode {
    /// The time between two questions if an owner does not answer.
    private static let retryDelay = Duration.milliseconds(50)

    /// Calls `done` with true once this node has applied everything that any node has answered of some lanes before
    /// this call, or with false after `patience`. If `isStrict`, also what other nodes have only shown, of lanes of this
    /// node and of `common` too.
    func whenFresh(
        _ lanes: [Lane], within patience: Duration, isStrict: Bool = false, _ done: @escaping (Bool) -> Void
    ) {
        let (missing, began) = (lanes.filter { isStrict || !isKnownFresh($0) }, executor.scheduler.now)
        let done: (Bool) -> Void = { [executor, status] isFresh in
            let seconds = Double((executor.scheduler.now - began).wholeNanoseconds) / 1e9
            status.contents.with { $0.barrierSeconds.add(seconds) }
            done(isFresh)
        }
        guard !missing.isEmpty else { return done(true) }
        var left = missing.count
        for lane in missing {
            wait(for: lane, within: patience) { isFresh in
                guard left > 0 else { return }
                left = isFresh ? left - 1 : 0
                if left == 0 { done(isFresh) }
            }
        }
    }

    private func wait(for lane: Lane, within patience: Duration, _ done: @escaping (Bool) -> Void) {
        guard let barrier = barriers[lane] else { return done(false) }
        let scheduler = executor.scheduler
        barrier.add(TimedWait(until: scheduler.now + patience, on: scheduler, done))
        ask(lane)
    }

    /// Returns true if no question about a lane is needed.
    private func isKnownFresh(_ lane: Lane) -> Bool {
        status.isFresh([lane]) || lane == .common && status.hasPromise
    }

    /// Asks the owner of a lane for its last kept number. The owner of `common` also promises something.
    func ask(_ lane: Lane) {
        guard let barrier = barriers[lane], let replica = lanes[lane], barrier.begin() else { return }
        let (owned, began) = (Confined(self), executor.scheduler.now)
        if status.isFresh([lane]) { return conclude(lane, replica.possibleEnd, began) }
        let version = status.common.version
        if lane == .common { acknowledged = version }
        let question = FreshQuestion(node: node, applied: replica.applied.number, common: version)
        log.ask("at.\(lane)", question.bytes, timeout: .seconds(1)) { result in
            owned.value.executor.post {
                // A failure, and an owner that must not answer, leave no number: the question is asked again.
                owned.value.conclude(lane, (try? result.get()).flatMap(FreshQuestion.number), began)
            }
        }
    }

    private func conclude(_ lane: Lane, _ number: Int?, _ began: Instant) {
        guard let barrier = barriers[lane], let replica = lanes[lane] else { return }
        // A lane that applies nothing would gather waiters without end: here each of them ends by its own patience.
        if let number, !replica.isStuck {
            let waiters = barrier.answered()
            replica.whenApplied(number) { [status] in
                if lane == .common, !replica.isOwned { status.notePromise(until: began + CommonPromises.duration) }
                for waiter in waiters { waiter.end(true) }
            }
            return ask(lane)
        }
        barrier.failed()
        let scheduler = executor.scheduler
        scheduler.set(Alarm(at: scheduler.now + Self.retryDelay) { [weak self] _ in self?.ask(lane) })
    }
}
