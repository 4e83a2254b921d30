import Expressions
import Ground
import JSON
import Reactive
import StateModel

/// The schedules of a feature in one space.
///
/// The times follow from the rows and from the clock, so they need no memory of their own. The memory holds the last
/// time of each row that has fired: a row fires again when it gets another time. Of a schedule that recurs it holds the
/// time up to which nothing is left to fire.
final class FeatureSchedules {
    private let feature: String
    private let schedules: [CompiledSchedule]
    private let reads: ActionReads
    private let space: DescribedSpace
    /// The indexes of the schedules that recur.
    private let recurring: [Int]
    /// True for the schedules of a feature in `common`, which are not spread.
    private let isCommon: Bool
    /// The times of the rows, by key, for each schedule. A variable and a recurrence have the empty key.
    private var times: [[String: Timestamp]] = []
    /// The last times that have fired, by key, for each schedule.
    private var fired: [[String: Timestamp]] = []
    private var queue = FiringQueue()
    /// The follow-ups: firings whose times were set by firings, less than `followUpDelay` later.
    private var followUps = FiringQueue()
    /// A firing that sets a later time than this makes no follow-up: each row waits for its time.
    private static let followUpDelay = Duration.seconds(1)
    /// The time of the firing whose commit is published; nil otherwise.
    private var firingTime: Timestamp?
    /// The schedules of `changed` whose variable a firing has changed, with the time of the firing.
    private var changedByFiring: [Int: Timestamp] = [:]
    /// The entries of the memory whose rows are gone.
    private var stale: Set<String> = []
    /// The schedules of variables whose time may have changed since the last commit.
    private var changed: Set<Int> = []
    /// The recurring schedules whose beginning is not in the memory, and the time of their beginning.
    private var begun: (schedules: Set<Int>, at: Timestamp) = ([], .earliest)
    private var subscriptions: [Subscription] = []
    private var isConnected = false
    private var rests = false

    init(
        _ schedules: [CompiledSchedule], of feature: String, in scope: Scope, _ reads: ActionReads,
        _ space: DescribedSpace
    ) {
        (self.schedules, self.feature, self.reads, self.space) = (schedules, feature, reads, space)
        isCommon = scope == .common
        recurring = schedules.indices.filter { schedules[$0].recurrence != nil }
    }

    /// The variable of the memory.
    private var variable: String { "~\(feature).schedules\(space.keySuffix)" }

    private func entry(_ index: Int, _ key: String) -> String { "\(schedules[index].name)/\(key)" }

    // MARK: Times

    private func connect(in graph: Graph) {
        // A space that returns to its past does not fire again what it has fired since.
        let settled = isConnected ? recurring.map { ($0, fired[$0][""], begun.schedules.contains($0)) } : []
        isConnected = true
        rests = false
        subscriptions = []
        queue.removeAll()
        followUps.removeAll()
        (firingTime, changedByFiring) = (nil, [:])
        times = Array(repeating: [:], count: schedules.count)
        fired = times
        begun = ([], .earliest)
        readMemory()
        for (index, time, isBeginning) in settled {
            guard let time, fired[index][""].map({ $0 < time }) ?? true else { continue }
            if isBeginning {
                settle(index, at: time)
            } else {
                fired[index][""] = time
                remember(time, as: entry(index, ""))
            }
        }
        for (index, schedule) in schedules.enumerated() {
            switch schedule.trigger {
            case .recurring: setRecurring(index)
            case .rows(let rows): connect(index, rows, in: graph)
            }
        }
    }

    private func connect(_ index: Int, _ rows: CompiledSchedule.RowTimes, in graph: Graph) {
        switch space.state[rows.index] {
        case .variable:
            setVariable(index)
            for (place, _) in rows.variables {
                guard case .variable(let variable) = space.state[place] else { continue }
                subscriptions.append(
                    variable.watch(in: graph) { [weak self] _ in self?.noteChanged(index) })
            }
        case .table(let table):
            for (key, row) in table.rows { set(index, key, time(of: row.value, key, rows), setAt: nil) }
            subscriptions.append(
                table.watch(in: graph) { [weak self] changes in
                    for entry in changes.entries { self?.take(entry, index, rows) }
                })
        }
    }

    private func readMemory() {
        stale = []
        guard let memory = space.views.memories.existing(variable) else { return }
        for entry in memory.keys {
            let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let index = schedules.firstIndex(where: { $0.name == parts[0] }),
                hasRow(index, parts[1]), let bytes = memory[entry],
                // An entry that holds no time is stale too.
                let time = try? Timestamp(parsing: bytes)
            else {
                stale.insert(entry)
                continue
            }
            fired[index][parts[1]] = time
        }
    }

    private func hasRow(_ index: Int, _ key: String) -> Bool {
        guard case .rows(let rows) = schedules[index].trigger else { return key.isEmpty }
        return switch space.state[rows.index] {
        case .variable: key.isEmpty
        case .table(let table): table.rows[key] != nil
        }
    }

    private func take(
        _ change: Changes<String, DescribedRow>.Entry, _ index: Int, _ rows: CompiledSchedule.RowTimes
    ) {
        if let row = change.new {
            return set(index, change.key, time(of: row.value, change.key, rows), setAt: firingTime)
        }
        times[index][change.key] = nil
        if fired[index].removeValue(forKey: change.key) != nil { stale.insert(entry(index, change.key)) }
    }

    private func noteChanged(_ index: Int) {
        changed.insert(index)
        changedByFiring[index] = firingTime
    }

    private func set(_ index: Int, _ key: String, _ time: Timestamp?, setAt firingTime: Timestamp?) {
        guard times[index][key] != time else { return }
        times[index][key] = time
        guard let time, fired[index][key] != time else { return }
        let firing = FiringQueue.QueuedFiring(time: time, schedule: index, key: key)
        if let firingTime, time < firingTime + Self.followUpDelay {
            add(firing, to: &followUps)
        } else {
            add(firing, to: &queue)
        }
    }

    private func add(_ firing: FiringQueue.QueuedFiring, to queue: inout FiringQueue) {
        if queue.count > 64, queue.count > 2 * times.reduce(0, { $0 + $1.count }) { queue.keep(where: isPending) }
        queue.add(firing)
    }

    private func isPending(_ entry: FiringQueue.QueuedFiring) -> Bool {
        times[entry.schedule][entry.key] == entry.time && fired[entry.schedule][entry.key] != entry.time
    }

    private func setVariable(_ index: Int) {
        guard case .rows(let rows) = schedules[index].trigger, case .variable(let variable) = space.state[rows.index]
        else { return }
        set(index, "", time(of: variable.value, nil, rows), setAt: changedByFiring.removeValue(forKey: index))
    }

    /// The time of a row, or of a variable; nil if it has none, or if the expression fails.
    private func time(of row: JSON, _ key: String?, _ rows: CompiledSchedule.RowTimes) -> Timestamp? {
        var frame = Self.frame(space.name, row, key)
        if key == nil {
            var values = JSON.Object()
            for (index, name) in rows.variables {
                if case .variable(let variable) = space.state[index] { values[name] = variable.value }
            }
            frame[NamePlace.state] = .json(.object(values))
        }
        var steps = 0
        do throws(EvaluationFailure) {
            guard case .string(let text) = try rows.at.evaluate(frame, steps: &steps) else { return nil }
            return Timestamp(text)
        } catch {
            return nil
        }
    }

    private static func frame(_ space: String, _ row: JSON, _ key: String?) -> [ExpressionInput] {
        let place = NamePlace.self
        var frame = [ExpressionInput](repeating: .json(.null), count: place.count)
        frame[place.space] = .json(.string(space))
        frame[place.row] = .json(row)
        frame[place.key] = .json(.string(key ?? ""))
        return frame
    }

    private func earliest(in queue: inout FiringQueue) -> FiringQueue.QueuedFiring? {
        guard !rests else { return nil }
        while let first = queue.first {
            if isPending(first) { return first }
            queue.removeFirst()
        }
        return nil
    }

    private func firing(_ entry: FiringQueue.QueuedFiring) -> ScheduledFiring {
        ScheduledFiring(
            feature: feature, schedule: schedules[entry.schedule].name, key: entry.key,
            action: schedules[entry.schedule].action, time: entry.time)
    }
}

// MARK: Recurring schedules

extension FeatureSchedules {
    /// The number that spreads the times of a schedule over the spaces.
    private func spread(_ index: Int) -> UInt64 {
        isCommon ? 0 : FNV1a("\(feature).\(schedules[index].name)/\(space.name)".utf8).value
    }

    /// Sets the next time of a schedule after the one up to which nothing is left to fire; none if it has not begun.
    private func setRecurring(_ index: Int) {
        let settled = fired[index][""]
        set(
            index, "",
            settled.flatMap { schedules[index].recurrence?.next(after: $0, spread: spread(index)) }, setAt: nil)
    }

    /// Notes that nothing is left to fire up to a time. The next commit remembers it.
    private func settle(_ index: Int, at time: Timestamp) {
        fired[index][""] = time
        begun.schedules.insert(index)
        begun.at = max(begun.at, time)
    }

    func begin(at now: Timestamp) {
        for index in recurring where fired[index][""] == nil {
            settle(index, at: now)
            setRecurring(index)
        }
    }

    var beginnings: [String] { begun.schedules.sorted().map { "\(feature).\(schedules[$0].name)" } }

    func passMissed(at now: Timestamp, runningSince start: Timestamp) {
        for index in recurring {
            guard case .recurring(let recurrence, let skipsMissed) = schedules[index].trigger,
                let first = times[index][""], first <= now
            else { continue }
            let last = recurrence.last(upTo: now, from: first, spread: spread(index))
            if skipsMissed, last < start {
                settle(index, at: now)
                setRecurring(index)
            } else if last > first {
                set(index, "", last, setAt: nil)
            }
        }
    }

    /// Writes the beginnings of recurring schedules to the memory.
    private func rememberBeginnings(at time: Timestamp) {
        begin(at: time)
        for index in begun.schedules {
            if let time = fired[index][""] { remember(time, as: entry(index, "")) }
        }
        begun = ([], .earliest)
    }

    private func remember(_ time: Timestamp, as entry: String) {
        var writer = JSONWriter()
        time.write(to: &writer)
        space.views.memories.memory(variable)[entry] = writer.bytes
    }
}

extension FeatureSchedules: ScheduledActions {
    var isRemembering: Bool { true }
    var deliversAtOnce: Bool { false }
    var due: Timestamp? {
        let earliest = earliest(in: &queue)?.time
        return begun.schedules.isEmpty ? earliest : min(begun.at, earliest ?? begun.at)
    }

    var firing: ScheduledFiring? { earliest(in: &queue).map(firing) }
    var followUp: ScheduledFiring? { earliest(in: &followUps).map(firing) }

    func resume(in graph: Graph) { connect(in: graph) }

    func update(_ change: OwnChange, _ entries: [String: [UInt8]], of variable: String, in graph: Graph) {}

    func remember(_ change: OwnChange, in graph: Graph) {
        if !isConnected { connect(in: graph) }
        if !recurring.isEmpty { rememberBeginnings(at: change.at) }
        for index in changed { setVariable(index) }
        (changed, changedByFiring) = ([], [:])
        guard !stale.isEmpty else { return }
        let memory = space.views.memories.existing(variable)
        for entry in stale { memory?[entry] = nil }
        stale = []
    }

    func elapse(to time: Timestamp, in graph: Graph) {}
    func refresh(in graph: Graph) {}
    func show(in graph: Graph) {}
    func sources(of output: Node, in graph: Graph) -> (nodes: [Node], subscriptions: [Subscription])? { nil }

    func rest() { rests = true }

    func noteFired(_ firing: ScheduledFiring) {
        firingTime = nil
        guard let index = schedules.firstIndex(where: { $0.name == firing.schedule }), hasRow(index, firing.key) else {
            return
        }
        fired[index][firing.key] = firing.time
        let entry = entry(index, firing.key)
        stale.remove(entry)
        begun.schedules.remove(index)
        remember(firing.time, as: entry)
        if schedules[index].recurrence != nil { setRecurring(index) }
    }

    func perform(_ firing: ScheduledFiring, _ commit: inout Commit) throws(Rejection) -> [UInt8] {
        guard let schedule = schedules.first(where: { $0.name == firing.schedule }) else {
            throw Rejection(.conflict, "there is no schedule \(firing.schedule)")
        }
        firingTime = commit.now
        var row = JSON.null
        if case .rows(let rows) = schedule.trigger {
            switch space.state[rows.index] {
            case .variable(let variable): row = commit[variable]
            case .table(let table): row = commit[table, firing.key]?.value ?? .null
            }
        }
        var frame = Self.frame(space.name, row, firing.key)
        let place = NamePlace.self
        frame[place.state] = reads.state
        frame[place.given] = reads.given
        frame[place.newID] = reads.newID
        frame[place.newSecret] = reads.newSecret
        frame[place.index] = reads.index
        frame[place.now] = .json(.string("\(commit.now)"))
        let input = try reads.reading(&commit) { _ throws(Rejection) in
            try Self.input(of: schedule, frame)
        }
        _ = try schedule.program.perform(input, isComputed: true, reads, space.state, &commit)
        do throws(JSONError) {
            return try input.json()
        } catch {
            throw Rejection(.invalid, "the input cannot be written: \(error.reason)")
        }
    }

    private static func input(
        of schedule: CompiledSchedule, _ frame: [ExpressionInput]
    ) throws(Rejection) -> JSON {
        guard let formula = schedule.input else { return [:] }
        var steps = 0
        do throws(EvaluationFailure) {
            return try formula.evaluate(frame, steps: &steps)
        } catch {
            throw Rejection(.invalid, "\(formula.pointer): \(formula.words(for: error))")
        }
    }
}

/// The firings of a feature by time: a binary heap, with O(log n) for each change.
struct FiringQueue {
    /// The time of a row of a schedule.
    struct QueuedFiring {
        let time: Timestamp
        /// The index of the schedule.
        let schedule: Int
        let key: String

        static func < (one: QueuedFiring, other: QueuedFiring) -> Bool {
            (one.time, one.schedule, one.key) < (other.time, other.schedule, other.key)
        }
    }

    private var heap: [QueuedFiring] = []

    var count: Int { heap.count }
    var first: QueuedFiring? { heap.first }

    /// Adds a firing.
    mutating func add(_ entry: QueuedFiring) {
        heap.append(entry)
        var place = heap.count - 1
        while place > 0, case let parent = (place - 1) / 2, heap[place] < heap[parent] {
            heap.swapAt(place, parent)
            place = parent
        }
    }

    /// Removes the earliest firing.
    mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var place = 0
        while case let left = 2 * place + 1, left < heap.count {
            let right = left + 1
            let child = right < heap.count && heap[right] < heap[left] ? right : left
            guard heap[child] < heap[place] else { return }
            heap.swapAt(place, child)
            place = child
        }
    }

    /// Keeps the firings that satisfy a condition.
    mutating func keep(where isWanted: (QueuedFiring) -> Bool) {
        let wanted = heap.filter(isWanted)
        heap = wanted.sorted { $0 < $1 }
    }

    /// Removes all firings.
    mutating func removeAll() { heap = [] }
}
