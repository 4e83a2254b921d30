package import JSON
package import Reactive

/// The time that the views of one space read: the last full grain, the same for all readers.
///
/// A live clock has one alarm for each grain while an active view reads it. Its ticks make no version. The clock of a past
/// space has the time of a commit, and moves with the commits.
package final class SpaceClock {
    /// The clock and the alarms of a live space; nil in the past.
    private let live: (now: () -> Timestamp, scheduler: () -> any Scheduler)?
    /// The time of the last commit in the past.
    private var time = Timestamp(microseconds: 0)
    private var grains: [Int: Observable<JSON>] = [:]
    /// The times of a past space, by grain.
    private var stopped: [Int: Variable<JSON>] = [:]
    /// The last grains that a read or a tick has seen, and the number of times that one was another.
    private var seen: [Int: Timestamp] = [:]
    private var changes = 0

    /// The clock of a past space, or of one whose views are not read.
    package init() { live = nil }

    /// The clock of a live space.
    package init(now: @escaping () -> Timestamp, on scheduler: @escaping () -> any Scheduler) {
        live = (now, scheduler)
    }

    /// The number of the present grains: while it is the same, each view reads the same time.
    package var ticks: Int {
        guard !seen.isEmpty, let live else { return 0 }
        let now = live.now()
        for (seconds, last) in seen {
            let present = now.grain(of: seconds)
            if present != last {
                seen[seconds] = present
                changes += 1
            }
        }
        return changes
    }

    /// The beginning of the present grain of so many seconds, as a text.
    package func time(every seconds: Int) -> Observable<JSON> {
        if let known = grains[seconds] { return known }
        let made = live == nil ? moving(seconds) : ticking(seconds)
        grains[seconds] = made
        return made
    }

    private func ticking(_ seconds: Int) -> Observable<JSON> {
        Observable<JSON>(madeBy: "clock") { [weak self] output in self?.tick(seconds, to: output) }
    }

    private func tick(_ seconds: Int, to output: Observable<JSON>) {
        guard let live else { return }
        let now = live.now()
        let present = now.grain(of: seconds)
        if seen.updateValue(present, forKey: seconds) != present { changes += 1 }
        let value = JSON.string("\(present)")
        if output.latest != value { output.emit(value) }
        // The value may have made the last listener leave.
        guard output.isActive else { return }
        // An alarm can come before its time by the clock of commits. Then the next one follows at once.
        let rest = present + .seconds(seconds) - now
        output.after(rest, on: live.scheduler()) { [weak self] in self?.tick(seconds, to: output) }
    }

    private func moving(_ seconds: Int) -> Observable<JSON> {
        let variable = Variable(JSON.string("\(time.grain(of: seconds))"))
        stopped[seconds] = variable
        return variable
    }

    /// Sets the time of a past space before its views are read.
    package func set(_ time: Timestamp) { self.time = time }

    /// Moves a past space to the time of a commit.
    package func move(to time: Timestamp, in transaction: inout Transaction) {
        self.time = time
        for (seconds, variable) in stopped {
            let value = JSON.string("\(time.grain(of: seconds))")
            if variable.value != value { transaction[variable] = value }
        }
    }
}

extension Timestamp {
    /// The last time that is not after this one and a whole number of so many seconds after the beginning of 1970.
    fileprivate func grain(of seconds: Int) -> Timestamp {
        let (own, length) = (self.seconds, Int64(seconds))
        return max(.earliest, Timestamp(seconds: own - (own % length + length) % length))
    }
}
