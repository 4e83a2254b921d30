import Ground
import JSON
import Reactive

/// The firings of schedules: each is one commit.
extension Space {
    /// The delay of the firings after a commit that the journal did not store.
    private static let firingDelay = Duration.seconds(1)

    /// False for a space without commits: nothing happens there by time.
    var hasTime: Bool { state.version > 0 || name == .common }

    /// Begins the recurring schedules that have not begun in this space.
    func beginSchedules() {
        guard features.remembersByDescription else { return }
        for case let schedules as any ScheduledActions in features.rememberers { schedules.begin(at: context.now) }
    }

    /// Lets the recurring schedules pass over missed times, and commits what they begin with. Returns true if this
    /// changed the next alarm.
    func settleSchedules() -> Bool {
        guard features.remembersByDescription else { return false }
        let before = time.due
        let rememberers = features.rememberers
        var names: [String] = []
        for case let schedules as any ScheduledActions in rememberers {
            schedules.passMissed(at: context.now, runningSince: context.start)
            names += schedules.beginnings
        }
        guard !names.isEmpty else {
            time.due = nextDue(of: rememberers)
            return time.due != before
        }
        let at = nextTime()
        advance(writes: false)
        let input: JSON = ["schedules": .array(names.map { .string($0) })]
        // Texts can always be written.
        let call = Call(feature: "schedules", action: "began", input: (try? input.json()) ?? Array("{}".utf8))
        var facts = Facts()
        remember(call, call.input, at: at, mayDefine: false, into: &facts)
        keep(&facts, of: [])
        submitOwn(call, facts, at: at) { [weak self] result in
            guard let self, case .failure = result else { return }
            time.rest(until: context.now + Self.firingDelay)
        }
        return true
    }

    /// A firing, and the time at which it may take place.
    struct NextFiring {
        let schedules: any ScheduledActions
        let firing: ScheduledFiring
        let at: Timestamp
        let isFollowUp: Bool
    }

    /// The earliest firing of all features; nil if there is none.
    var nextFiring: NextFiring? {
        var first: NextFiring?
        func offer(_ firing: ScheduledFiring?, of schedules: any ScheduledActions, isFollowUp: Bool) {
            guard let firing else { return }
            let at = isFollowUp ? max(firing.time, time.followUpStart) : firing.time
            guard first.map({ at < $0.at }) ?? true else { return }
            first = NextFiring(schedules: schedules, firing: firing, at: at, isFollowUp: isFollowUp)
        }
        for case let schedules as any ScheduledActions in features.rememberers {
            offer(schedules.firing, of: schedules, isFollowUp: false)
            offer(schedules.followUp, of: schedules, isFollowUp: true)
        }
        return first
    }

    /// Returns the time of the earliest alarm; nil if there is none.
    func nextDue(of rememberers: [any Rememberer]) -> Timestamp? {
        var due: Timestamp?
        for rememberer in rememberers {
            if let time = rememberer.due { due = min(due ?? time, time) }
            guard let followUp = (rememberer as? any ScheduledActions)?.followUp else { continue }
            let time = max(followUp.time, time.followUpStart)
            due = min(due ?? time, time)
        }
        return due
    }

    /// Performs the action of a firing, with all rights. A refusal is a commit too, so the firing does not come again.
    func fire(_ next: NextFiring) {
        let (firing, schedules) = (next.firing, next.schedules)
        guard let id = context.registry.id(feature: firing.feature, name: firing.action, isByEffect: true),
            features[id.featureIndex].blueprint.edition == id.edition, features.unmigrated[id.featureIndex] == nil
        else {
            schedules.rest()
            return noteAlarm(of: features.rememberers)
        }
        let feature = features[id.featureIndex]
        let at = nextTime()
        if next.isFollowUp { time.noteFollowUp(at: at) }
        var facts = Facts()
        var call: Call
        do throws(Rejection) {
            var commit = Commit(
                graph.draft(), now: at, version: state.version + 1, caller: .server, random: context.randomness(),
                unkeptChange: unkeptChanges + 1)
            let input = try schedules.perform(firing, &commit)
            graph.dropUnchanged()
            facts = try feature.facts()
            switch refusal(ofSizeOf: facts, by: CollectionOfOne(feature)) {
            case .commitTooLarge(let bytes):
                throw Rejection(.conflict, "its changes have \(bytes) bytes, and a commit has at most 16 MiB")
            case .spaceTooLarge(_, let limit):
                throw Rejection(.conflict, "the space has the \(limit) bytes in memory that it may have")
            case .overQuota(let excess): throw Rejection(.conflict, excess.description)
            default: break
            }
            call = Call(id, input: input, caller: .server)
        } catch {
            graph.discard()
            facts = Facts()
            call = Self.refusal(of: firing, error)
        }
        if call.id === id, facts.isEmpty {
            if feature.blueprint.hasUnkept, case let names = feature.unkeptChanges, !names.isEmpty {
                _ = publishUnkept(names, of: [feature], call, [])
            } else {
                graph.discard()
            }
        }
        advance(writes: !facts.isEmpty, lateAt: at)
        if !facts.isEmpty { keep(&facts, of: CollectionOfOne(feature)) }
        schedules.noteFired(firing)
        remember(call, call.input, at: at, mayDefine: false, into: &facts)
        submitOwn(call, facts, at: at) { [weak self] result in
            guard let self, case .failure = result else { return }
            time.rest(until: context.now + Self.firingDelay)
        }
    }

    private static func refusal(of firing: ScheduledFiring, _ rejection: Rejection) -> Call {
        let input: JSON = [
            "schedule": .string("\(firing.feature).\(firing.schedule)"), "key": .string(firing.key),
            "problem": .object(rejection.problem),
        ]
        // Texts and an integer can always be written.
        return Call(feature: "schedules", action: "refused", input: (try? input.json()) ?? Array("{}".utf8))
    }
}
