internal import Platform
internal import Ground
internal import Reactive
internal import StateStore

/// The answers to actions of `common`: they wait until the nodes that were promised so have applied the commits.
extension ClusterNode {
    /// An answer that waits.
    struct UnseenAnswer {
        let version: Int
        let began: Instant
        let body: () -> Void
    }

    /// Runs `body` once a version of `common` can be answered; never if the node closes before.
    func whenSeen(_ version: Int, _ body: @escaping () -> Void) {
        unseen.append(UnseenAnswer(version: version, began: executor.scheduler.now, body: body))
        answerSeen()
    }

    /// Answers what waits and need not any more.
    func answerSeen() {
        guard isOpen else { return unseen.removeAll() }
        let scheduler = executor.scheduler
        let now = scheduler.now
        var next: Instant?
        var ready: [UnseenAnswer] = []
        unseen.removeAll { answer in
            if let end = promises.end(of: answer.version, at: now) {
                next = min(next ?? end, end)
                return false
            }
            ready.append(answer)
            return true
        }
        if let next, unseenAlarm == nil {
            let alarm = Alarm(at: next) { [weak self] _ in
                self?.unseenAlarm = nil
                self?.answerSeen()
            }
            unseenAlarm = alarm
            scheduler.set(alarm)
        }
        for answer in ready {
            let seconds = Double((now - answer.began).wholeNanoseconds) / 1e9
            status.contents.with { $0.commonSeconds.add(seconds) }
            answer.body()
        }
    }

    /// Tells the owner of `common` that this node has applied a version, if the owner may wait for that.
    func acknowledgeCommon() {
        guard let common = lanes[.common], !common.isOwned, status.common.version > acknowledged, status.hasPromise
        else {
            return
        }
        barriers[.common]?.isOwed = true
        ask(.common)
    }
}
