import Ground
import Reactive

/// The memory of a space: it changes in the commits of the space, and with its alarms.
extension Space {
    /// Continues from the memory of the loaded content.
    func resumeMemory() {
        time.due = nil
        time.stop()
        mayLackMemory = features.mayLackMemory
        isRemembering = features.hasMemory || mayLackMemory || features.alwaysRemembers
        guard features.hasMemory || features.remembersByDescription else { return }
        var rememberers = features.rememberers
        // Without memory only schedules know their alarms.
        if !features.hasMemory { rememberers = rememberers.filter { $0 is any ScheduledActions } }
        for rememberer in rememberers { rememberer.resume(in: graph) }
        guard hasTime else { return }
        beginSchedules()
        noteAlarm(of: rememberers)
    }

    /// Lets the definitions remember a commit that has been published, and appends the facts of their memory.
    /// `mayDefine` is true if the commit may have changed definitions.
    func remember(
        _ call: Call, _ input: [UInt8]?, at: Timestamp, mayDefine: Bool, into facts: inout Facts
    ) {
        let changes = PerformedAction.all(of: call.id.name, input).map { performed in
            OwnChange(
                action: performed.name, input: performed.input,
                withholding: context.registry.privateInput(of: performed.name), version: state.version, at: at)
        }
        features.removeStaleMemory()
        let rememberers = features.rememberers
        let hasMemory = isRemembering && !mayLackMemory
        if mayDefine || mayLackMemory, let change = changes.last {
            mayLackMemory = false
            for rememberer in rememberers {
                rememberer.update(
                    change, call.tree?.memory?.entries ?? [:], of: call.tree?.memory?.variable ?? "", in: graph)
            }
        }
        isRemembering = hasMemory || rememberers.contains(where: \.isRemembering)
        guard isRemembering else { return }
        for rememberer in rememberers {
            for change in changes { rememberer.remember(change, in: graph) }
        }
        finishRemembering(rememberers, into: &facts)
    }

    /// Takes the memory of a past state, which a published commit returns to, and appends the facts.
    func restoreMemory(of past: FeatureSet, into facts: inout Facts) {
        guard isRemembering || past.hasMemory else { return }
        features.changeMemory(to: past)
        let rememberers = features.rememberers
        for rememberer in rememberers { rememberer.resume(in: graph) }
        finishRemembering(rememberers, into: &facts)
    }

    private func finishRemembering(_ rememberers: [any Rememberer], into facts: inout Facts) {
        for rememberer in rememberers { rememberer.show(in: graph) }
        for variable in features.memories.takeRestarted() {
            context.warn(
                "\(variable.dropFirst()) in the space \(name) begins anew: what it remembered came from members that are private now, or from behind a rule that is gone"
            )
        }
        features.memories.takeFacts(into: &facts)
        isRemembering = features.hasMemory || features.alwaysRemembers
        noteAlarm(of: rememberers)
    }

    func noteAlarm(of rememberers: [any Rememberer]) {
        time.due = nextDue(of: rememberers)
        waitForAlarm()
    }

    private func waitForAlarm() {
        time.wait(from: context.now, on: context.executor.scheduler) { [weak self] in
            guard let self, context.isOpen else { return }
            context.dueSpaces.add(self)
        }
    }

    /// Sets the alarm anew after a step of the clock.
    func noteClockStep(isAccepted: Bool) {
        if isAccepted { time.goBack() }
        guard time.due != nil, state.isHere else { return }
        time.stop()
        if isDue { context.dueSpaces.add(self) } else { waitForAlarm() }
    }

    /// Returns the time of the next commit.
    func nextTime() -> Timestamp { time.next(context.now) }

    // MARK: Alarms

    /// True if an alarm of the space is due.
    var isDue: Bool { time.due.map { $0 <= context.now } ?? false }

    /// Lets the alarms that are due go off before an action.
    func elapse() {
        guard isDue else { return }
        var budget = LapseBudget(from: context.executor.scheduler.now)
        lapse(&budget)
    }

    /// Lets the alarms that are due go off, each set of the same time in a commit of its own, and each firing of a
    /// schedule in one, and waits for the next. An alarm beyond the budget goes off in a later turn.
    func lapse(_ budget: inout LapseBudget) {
        adoptOwed()
        guard state.isHere, isRemembering, !isRenewing, context.owns(name) else { return }
        let scheduler = context.executor.scheduler
        while state.isHere, let earliest = time.due, time.isAwake(at: context.now), budget.permits(at: scheduler.now) {
            if earliest <= context.now, settleSchedules() {
                budget.spend()
                continue
            }
            if earliest <= context.now, features.remembersByDescription, let next = nextFiring,
                next.at <= earliest
            {
                fire(next)
            } else {
                guard let due = time.elapse(at: context.now) else { break }
                elapse(to: due)
            }
            budget.spend()
        }
        if state.isHere { waitForAlarm() }
    }

    /// Lets the alarms go off that are due before a commit at `time` publishes what it writes, and that have waited
    /// because of the limit of commits by time. They see the values from before the commit, which keeps their memory.
    func elapseLate(to time: Timestamp) {
        guard isRemembering, let due = self.time.due, due <= time else { return }
        graph.beforePublishing {
            for rememberer in features.rememberers { rememberer.elapse(to: time, in: graph) }
        }
    }

    private func elapse(to due: Timestamp) {
        let rememberers = features.rememberers
        // An operator that delivers at once writes its memory for each alarm, so there is something to commit.
        let isCertain = rememberers.contains { rememberer in
            rememberer.deliversAtOnce && rememberer.due.map { $0 <= due } ?? false
        }
        if isCertain { advance(writes: false) }
        for rememberer in rememberers { rememberer.elapse(to: due, in: graph) }
        guard isCertain || features.memories.isWritten else {
            time.due = nextDue(of: rememberers)
            return
        }
        if !isCertain { advance(writes: false) }
        let call = Call(
            feature: "streams", action: "elapsed",
            input: Array("{\"due\":\"\(RFC3339.text(microseconds: due.microseconds))\"}".utf8))
        let change = OwnChange(
            action: call.id.name, input: call.input, withholding: .none, version: state.version, at: due)
        for rememberer in rememberers { rememberer.remember(change, in: graph) }
        var facts = Facts()
        finishRemembering(rememberers, into: &facts)
        keep(&facts, of: [])
        submitOwn(call, facts)
    }
}
