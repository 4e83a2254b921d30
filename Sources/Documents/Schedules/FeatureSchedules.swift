import Expressions
import Ground
import JSON
import Reactive
import StateStore

/// The schedules of a feature in one space.
///
/// The times follow from the rows, so they need no memory of their own. The memory holds the last time of each row that
/// has fired: a row fires again when it gets another time.
final class FeatureSchedules {
    private let feature: String
    private let schedules: [CompiledSchedule]
    private let reads: ActionReads
    private let space: DescribedSpace
    /// The times of the rows, by key, for each schedule.
    private var times: [[String: Timestamp]] = []
    /// The last times that have fired, by key, for each schedule.
    private var fired: [[String: Timestamp]] = []
    private var queue = FiringQueue()
    /// The entries of the memory whose rows are gone.
    private var stale: Set<String> = []
    /// The schedules of variables whose time may have changed since the last commit.
    private var changed: Set<Int> = []
    private var subscriptions: [Subscription] = []
    private var isConnected = false
    private var rests = false

    init(_ schedules: [CompiledSchedule], of feature: String, _ reads: ActionReads, _ space: DescribedSpace) {
        (self.schedules, self.feature, self.reads, self.space) = (schedules, feature, reads, space)
    }

    /// The variable of the memory.
    private var variable: String { "~\(feature).schedules" }

    private func entry(_ index: Int, _ key: String) -> String { "\(schedules[index].name)/\(key)" }

    // MARK: Times

    private func connect(in graph: Graph) {
        isConnected = true
        rests = false
        subscriptions = []
        queue.removeAll()
        times = Array(repeating: [:], count: schedules.count)
        fired = times
        readMemory()
        for (index, schedule) in schedules.enumerated() {
            switch space.state[schedule.index] {
            case .variable:
                setVariable(index)
                for (place, _) in schedule.variables {
                    guard case .variable(let variable) = space.state[place] else { continue }
                    subscriptions.append(
                        variable.watch(in: graph) { [weak self] _ in self?.changed.insert(index) })
                }
            case .table(let table):
                for (key, row) in table.rows { set(index, key, time(of: row, key, schedule)) }
                subscriptions.append(
                    table.watch(in: graph) { [weak self] changes in
                        for entry in changes.entries { self?.take(entry, index) }
                    })
            }
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
        switch space.state[schedules[index].index] {
        case .variable: key.isEmpty
        case .table(let table): table.rows[key] != nil
        }
    }

    private func take(_ change: Changes<String, JSON>.Entry, _ index: Int) {
        if let row = change.new { return set(index, change.key, time(of: row, change.key, schedules[index])) }
        times[index][change.key] = nil
        if fired[index].removeValue(forKey: change.key) != nil { stale.insert(entry(index, change.key)) }
    }

    private func set(_ index: Int, _ key: String, _ time: Timestamp?) {
        guard times[index][key] != time else { return }
        times[index][key] = time
        guard let time, fired[index][key] != time else { return }
        if queue.count > 64, queue.count > 2 * times.reduce(0, { $0 + $1.count }) { queue.keep(where: isPending) }
        queue.add(FiringQueue.QueuedFiring(time: time, schedule: index, key: key))
    }

    private func isPending(_ entry: FiringQueue.QueuedFiring) -> Bool {
        times[entry.schedule][entry.key] == entry.time && fired[entry.schedule][entry.key] != entry.time
    }

    private func setVariable(_ index: Int) {
        guard case .variable(let variable) = space.state[schedules[index].index] else { return }
        set(index, "", time(of: variable.value, nil, schedules[index]))
    }

    /// The time of a row, or of a variable; nil if it has none, or if the expression fails.
    private func time(of row: JSON, _ key: String?, _ schedule: CompiledSchedule) -> Timestamp? {
        var frame = Self.frame(space.name, row, key)
        if key == nil {
            var values = JSON.Object()
            for (index, name) in schedule.variables {
                if case .variable(let variable) = space.state[index] { values[name] = variable.value }
            }
            frame[NamePlace.state] = .json(.object(values))
        }
        var steps = 0
        do throws(EvaluationFailure) {
            guard case .string(let text) = try schedule.at.evaluate(frame, steps: &steps) else { return nil }
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

    private var earliest: FiringQueue.QueuedFiring? {
        guard !rests else { return nil }
        while let first = queue.first {
            if isPending(first) { return first }
            queue.removeFirst()
        }
        return nil
    }
}

extension FeatureSchedules: ScheduledActions {
    var isRemembering: Bool { true }
    var deliversAtOnce: Bool { false }
    var due: Timestamp? { earliest?.time }

    var firing: ScheduledFiring? {
        earliest.map { entry in
            ScheduledFiring(
                feature: feature, schedule: schedules[entry.schedule].name, key: entry.key,
                action: schedules[entry.schedule].action, time: entry.time)
        }
    }

    func resume(in graph: Graph) { connect(in: graph) }

    func update(_ change: OwnChange, _ entries: [String: [UInt8]], of variable: String, in graph: Graph) {}

    func remember(_ change: OwnChange, in graph: Graph) {
        if !isConnected { connect(in: graph) }
        for index in changed { setVariable(index) }
        changed = []
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
        guard let index = schedules.firstIndex(where: { $0.name == firing.schedule }), hasRow(index, firing.key) else {
            return
        }
        fired[index][firing.key] = firing.time
        let entry = entry(index, firing.key)
        stale.remove(entry)
        var writer = JSONWriter()
        firing.time.write(to: &writer)
        space.views.memories.memory(variable)[entry] = writer.bytes
    }

    func perform(_ firing: ScheduledFiring, _ commit: inout Commit) throws(Rejection) -> [UInt8] {
        guard let schedule = schedules.first(where: { $0.name == firing.schedule }) else {
            throw Rejection(.conflict, "there is no schedule \(firing.schedule)")
        }
        var row = JSON.null
        switch space.state[schedule.index] {
        case .variable(let variable): row = commit[variable]
        case .table(let table): row = commit[table, firing.key] ?? .null
        }
        var frame = Self.frame(space.name, row, firing.key)
        let place = NamePlace.self
        frame[place.state] = reads.state
        frame[place.given] = reads.given
        frame[place.newID] = reads.newID
        frame[place.now] = .json(.string("\(commit.now)"))
        let input = try reads.reading(&commit) { _ throws(Rejection) in
            try Self.input(of: schedule, frame)
        }
        _ = try schedule.program.perform(input, reads, space.state, &commit)
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
