import Expressions
import Ground
import JSON
import Reactive
import StateModel

/// The rows of a replica for one caller in one space. A commit costs the rows that it changed in the groups that the
/// caller holds, and its rows that came and went with others.
///
/// The rows of all parts are those of one list, so that a commit is one change: `["tasks", KEY, ROW]` of a table,
/// `["topic", VALUE]` of a variable, and first a row with the identity of the whole, which changes when no earlier value
/// is comparable any more.
final class ReplicaRows {
    private unowned let output: Rows<String, JSON>
    private let schedule: () -> Void
    private var parts: [any ReplicaPart] = []
    private let identity: JSON
    private var hasBegun = false

    /// Returns the list of a replica for a caller with some claims.
    static func list(
        _ replica: CompiledReplica, _ identity: String, in space: DescribedSpace, _ token: JSON
    ) -> DescribedValues {
        let rows = Rows<String, JSON>(madeBy: "replica") { node in
            guard let graph = unsafe node.graph else { return }
            let rows = unsafe unsafeDowncast(node, to: Rows<String, JSON>.self)
            rows.rows = [:]
            rows.undo = { [unowned rows] in rows.rows = [:] }
            let joint = rows.makeJoint()
            let reads = ReplicaRows(replica, identity, rows, space, token) { [weak joint] in
                if let joint { graph.schedule(joint) }
            }
            // The joint retains the reads.
            joint.run = { [unowned rows] in rows.attempt { try reads.update() } }
            reads.begin()
            graph.schedule(joint)
        }
        return .list(rows.sorted().map { _, row in row })
    }

    private init(
        _ replica: CompiledReplica, _ identity: String, _ output: Rows<String, JSON>, _ space: DescribedSpace,
        _ token: JSON, schedule: @escaping () -> Void
    ) {
        (self.output, self.schedule) = (output, schedule)
        let tables = replica.parts.filter(\.isTable).map { JSON.string($0.label) }
        self.identity = ["", .string(identity), replica.claims == nil ? .null : token, .array(tables)]
        var made: [ReplicaTable?] = []
        for part in replica.parts {
            switch space.state[part.place] {
            case .variable(let variable):
                made.append(nil)
                parts.append(ReplicaVariable(part, variable, output, schedule))
            case .table(let table):
                let selected = ReplicaTable(
                    part, table, part.belonging.flatMap { made[$0.parent] }, space, token, output, schedule)
                made.append(selected)
                parts.append(selected)
            }
        }
    }

    private func begin() {
        for part in parts { part.begin() }
    }

    private func update() throws {
        var changes: [(key: String, row: JSON?)] = []
        if !hasBegun {
            hasBegun = true
            changes.append(("", identity))
        }
        for part in parts { try part.update(&changes) }
        output.take(changes)
    }
}

/// A variable or a table of a replica as one caller holds it.
private protocol ReplicaPart: AnyObject {
    /// Begins to listen.
    func begin()
    /// Appends what changed since the last call. Parts are called each after the one that it belongs to.
    func update(_ changes: inout [(key: String, row: JSON?)]) throws
}

/// A variable of a replica.
private final class ReplicaVariable: ReplicaPart {
    private let part: CompiledReplica.HeldState
    private let variable: Variable<JSON>
    private unowned let output: Rows<String, JSON>
    private let schedule: () -> Void
    private var news: JSON?

    init(
        _ part: CompiledReplica.HeldState, _ variable: Variable<JSON>, _ output: Rows<String, JSON>,
        _ schedule: @escaping () -> Void
    ) {
        (self.part, self.variable, self.output, self.schedule) = (part, variable, output, schedule)
    }

    func begin() {
        output.listen(to: variable as Observable<JSON>) { [unowned self] value in
            news = value
            schedule()
        }
    }

    func update(_ changes: inout [(key: String, row: JSON?)]) {
        guard let value = news else { return }
        news = nil
        let shown = part.privateParts.removed(from: value)
        changes.append((part.label, shown.map { [.string(part.label), $0] }))
    }
}

/// A table of a replica: the rows that some sources give, and that satisfy a condition.
private final class ReplicaTable: ReplicaPart {
    /// Rows that are candidates: those of the table, of a group of an index, or of one key.
    private final class CandidateSource {
        var keys: Set<String> = []
        var cancel: () -> Void = {}
    }

    /// The name of a source: the alternative that it is of, and its group or key; nil for the whole table.
    private struct CandidateName: Hashable {
        let alternative: Int
        let group: [UInt8]?
    }

    /// One alternative of the condition, as the caller's values make it.
    private final class AlternativeState {
        /// The values of the gates and of the candidates; nil for one that has not arrived.
        var gates: [JSON?]
        var values: [JSON?]
        var isChanged = true

        init(_ alternative: CompiledReplica.Alternative) {
            gates = Array(repeating: nil, count: alternative.gates.count)
            values = Array(repeating: nil, count: alternative.values.count)
        }
    }

    let part: CompiledReplica.HeldState
    private let table: Table<String, DescribedRow>
    private let parent: ReplicaTable?
    private let space: DescribedSpace
    private let token: JSON
    private unowned let output: Rows<String, JSON>
    private let schedule: () -> Void
    private let frame: [ExpressionInput]
    private var sources: [CandidateName: CandidateSource] = [:]
    /// The alternatives that have a row as a candidate, with the number of sources.
    private var candidates: [String: [Int: Int]] = [:]
    private var states: [AlternativeState] = []
    /// The rows that may have changed for the caller, and the rows that it holds.
    private var dirty: Set<String> = []
    private(set) var held: Set<String> = []
    /// The keys that came or went in this update, for the tables that belong to this one.
    private(set) var moved: Set<String> = []

    init(
        _ part: CompiledReplica.HeldState, _ table: Table<String, DescribedRow>, _ parent: ReplicaTable?,
        _ space: DescribedSpace, _ token: JSON, _ output: Rows<String, JSON>, _ schedule: @escaping () -> Void
    ) {
        (self.part, self.table, self.parent, self.space, self.token) = (part, table, parent, space, token)
        (self.output, self.schedule) = (output, schedule)
        var frame = Array(repeating: ExpressionInput.json(.null), count: NamePlace.count)
        frame[NamePlace.space] = .json(.string(space.name))
        frame[NamePlace.token] = .json(token)
        self.frame = frame
    }

    /// The value of an expression that has none: it names no group and no key.
    private static let failed: JSON = 0.5

    func begin() {
        guard let alternatives = part.alternatives else {
            if part.belonging == nil { add(CandidateName(alternative: 0, group: nil), rows: table) }
            return
        }
        for alternative in alternatives {
            let state = AlternativeState(alternative)
            states.append(state)
            for (place, gate) in alternative.gates.enumerated() {
                output.listen(to: gate.values(in: space, [:], token, failing: false)) { [unowned self] value in
                    state.gates[place] = value
                    state.isChanged = true
                    schedule()
                }
            }
            for (place, value) in alternative.values.enumerated() {
                output.listen(to: value.view.values(in: space, [:], token, failing: Self.failed)) {
                    [unowned self] value in
                    state.values[place] = value
                    state.isChanged = true
                    schedule()
                }
            }
        }
    }

    // MARK: Sources

    private func add(_ name: CandidateName, rows: Rows<String, DescribedRow>) {
        guard sources[name] == nil else { return }
        let source = CandidateSource()
        sources[name] = source
        let link = output.listen(to: rows) { [unowned self, unowned source] changes in
            for entry in changes.entries { note(entry.key, entry.new != nil, in: source, name.alternative) }
            schedule()
        }
        source.cancel = { link.cancel() }
    }

    private func add(_ name: CandidateName, key: String) {
        guard sources[name] == nil else { return }
        let source = CandidateSource()
        sources[name] = source
        let link = output.listen(to: table.row(key)) { [unowned self, unowned source] row in
            note(key, row != nil, in: source, name.alternative)
            schedule()
        }
        source.cancel = { link.cancel() }
    }

    private func remove(_ name: CandidateName) {
        guard let source = sources.removeValue(forKey: name) else { return }
        source.cancel()
        for key in source.keys { note(key, false, in: source, name.alternative) }
    }

    private func note(_ key: String, _ isThere: Bool, in source: CandidateSource, _ alternative: Int) {
        dirty.insert(key)
        if isThere {
            guard source.keys.insert(key).inserted else { return }
            candidates[key, default: [:]][alternative, default: 0] += 1
        } else {
            guard source.keys.remove(key) != nil, var known = candidates[key] else { return }
            let left = (known[alternative] ?? 1) - 1
            known[alternative] = left == 0 ? nil : left
            candidates[key] = known.isEmpty ? nil : known
        }
    }

    /// Takes the sources that an alternative has with its present values.
    private func choose(_ place: Int, _ alternative: CompiledReplica.Alternative) {
        let state = states[place]
        guard state.isChanged else { return }
        state.isChanged = false
        var wanted: [CandidateName: String?] = [:]
        if state.gates.allSatisfy({ $0 == true }) {
            let values = zip(alternative.values, state.values).map { value, json in
                json.map { value.isMembership ? $0.members : [$0] } ?? []
            }
            switch alternative.candidates {
            case .all: wanted[CandidateName(alternative: place, group: nil)] = .some(nil)
            case .keys:
                for case .string(let key) in values[0] {
                    wanted[CandidateName(alternative: place, group: Array(key.utf8))] = key
                }
            case .groups:
                var groups: [[JSON]] = [[]]
                for members in values { groups = groups.flatMap { group in members.map { group + [$0] } } }
                for group in groups.compactMap({ CompiledIndex.group($0) }) {
                    wanted[CandidateName(alternative: place, group: group)] = .some(nil)
                }
            }
        }
        for name in sources.keys where name.alternative == place && wanted[name] == nil { remove(name) }
        for (name, key) in wanted {
            switch alternative.candidates {
            case .all: add(name, rows: table)
            case .keys: if let key { add(name, key: key) }
            case .groups(let index, _):
                if let group = name.group { add(name, rows: space.index(index, of: table).rows.rows(of: [group])) }
            }
        }
    }

    /// Takes the groups of the rows that the caller holds of the table that this one belongs to.
    private func follow(_ parent: ReplicaTable, _ belonging: CompiledReplica.Belonging) {
        for key in parent.moved {
            guard let group = CompiledIndex.group([.string(key)]) else { continue }
            let name = CandidateName(alternative: 0, group: group)
            if parent.held.contains(key) {
                add(name, rows: space.index(belonging.index, of: table).rows.rows(of: [group]))
            } else {
                remove(name)
            }
        }
    }

    // MARK: Rows

    func update(_ changes: inout [(key: String, row: JSON?)]) throws {
        for (place, alternative) in (part.alternatives ?? []).enumerated() { choose(place, alternative) }
        if let parent, let belonging = part.belonging { follow(parent, belonging) }
        moved = []
        guard !dirty.isEmpty else { return }
        for key in dirty {
            let row = table.rows[key]
            let name = "\(part.label)/\(key)"
            if let row, try isSelected(key, row.value), let shown = part.privateParts.removed(from: row.value) {
                if held.insert(key).inserted { moved.insert(key) }
                changes.append((name, [.string(part.label), .string(key), shown]))
            } else if held.remove(key) != nil {
                moved.insert(key)
                changes.append((name, nil))
            }
        }
        dirty = []
    }

    /// Returns true if an alternative that has a row as a candidate selects it. A condition that fails is false.
    private func isSelected(_ key: String, _ row: JSON) throws -> Bool {
        guard let known = candidates[key] else { return false }
        guard let alternatives = part.alternatives else { return true }
        for place in known.keys.sorted() {
            let conditions = alternatives[place].conditions
            if conditions.isEmpty { return true }
            guard !WorkAllowance.isSpent else {
                throw FormulaFailure(WorkShortage.words, at: conditions[0].pointer)
            }
            var frame = frame
            frame[NamePlace.key] = .json(.string(key))
            frame[NamePlace.row] = .json(row)
            var steps = 0
            let isTrue = conditions.allSatisfy { (try? $0.isTrue(frame, steps: &steps)) == true }
            WorkAllowance.spend(steps + 1)
            if isTrue { return true }
        }
        return false
    }
}
