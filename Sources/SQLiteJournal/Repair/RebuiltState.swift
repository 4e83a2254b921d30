internal import JSON
internal import StateStore

/// The state of a space at one version, while its commits are applied again.
struct RebuiltState {
    /// A value, and the version that set it if that is known.
    typealias Value = SnapshotAdvance.SinceValue

    /// The values by variable, then by the column `entry`: empty for the variable as a whole.
    private(set) var variables: [ByteString: [[UInt8]: Value]] = [:]

    var isEmpty: Bool { variables.isEmpty }

    /// Sets one row.
    mutating func set(_ key: SalvagedSpace.ValueKey, _ value: Value) {
        variables[key.variable, default: [:]][key.entry] = value
    }

    subscript(key: SalvagedSpace.ValueKey) -> Value? { variables[key.variable]?[key.entry] }

    /// Applies the facts of a commit.
    mutating func apply(_ facts: Facts, of version: Int) {
        for fact in facts {
            let name = ByteString(fact.variable)
            guard fact.entry != nil else {
                variables[name] = [[]: Value(value: fact.value ?? FactsText.null, since: version)]
                continue
            }
            split(name)
            let entry = StateRow.entry(fact.entry)
            variables[name, default: [:]][entry] = fact.value.map { Value(value: $0, since: version) }
            if variables[name]?.isEmpty ?? false { variables[name] = nil }
        }
    }

    /// Splits a whole value into an empty object and its entries.
    private mutating func split(_ name: ByteString) {
        guard let whole = variables[name]?[[]], whole.value != FactsText.emptyObject,
            let entries = try? FactsText.entries(of: whole.value)
        else { return }
        for (key, value) in entries {
            variables[name]?[StateRow.entry(key)] = Value(value: value, since: whole.since)
        }
        variables[name]?[[]] = Value(value: FactsText.emptyObject, since: whole.since)
    }

    /// The facts that turn this state into another. `removes` says if a value is removed that the other lacks.
    func facts(to other: RebuiltState, removes: Bool) -> Facts {
        var facts: [Fact] = []
        let names = Set(variables.keys).union(other.variables.keys).sorted { $0.text < $1.text }
        for name in names {
            var (own, next) = (self, other)
            guard let target = other.variables[name] else {
                if removes { facts.append(Fact(variable: name.text, value: FactsText.null)) }
                continue
            }
            if target.count == 1, let whole = target[[]], whole.value != FactsText.emptyObject {
                if variables[name] != target, !Self.isEqual(own, next, name) {
                    facts.append(Fact(variable: name.text, value: whole.value))
                }
                continue
            }
            own.split(name)
            next.split(name)
            guard let before = own.variables[name], before[[]]?.value ?? FactsText.emptyObject == FactsText.emptyObject,
                let after = next.variables[name]
            else {
                facts.append(Fact(variable: name.text, value: Self.object(target)))
                continue
            }
            for entry in Set(before.keys).union(after.keys).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                guard !entry.isEmpty, before[entry]?.value != after[entry]?.value, removes || after[entry] != nil,
                    let key = try? String(parsing: entry)
                else { continue }
                facts.append(Fact(variable: name.text, entry: key, value: after[entry]?.value))
            }
        }
        return Facts(facts)
    }

    private static func isEqual(_ one: RebuiltState, _ other: RebuiltState, _ name: ByteString) -> Bool {
        var (one, other) = (one, other)
        one.split(name)
        other.split(name)
        return one.variables[name]?.mapValues(\.value) == other.variables[name]?.mapValues(\.value)
    }

    /// A table as one object.
    private static func object(_ rows: [[UInt8]: Value]) -> [UInt8] {
        var writer = JSONWriter(depth: FactsText.depthLimit)
        writer.object { writer in
            for entry in rows.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) where !entry.isEmpty {
                if let key = try? String(parsing: entry), let row = rows[entry] {
                    writer.field(key, written: row.value)
                }
            }
        }
        return writer.bytes
    }

    /// A fact that changes nothing; nil if the state is empty.
    var repetition: Facts? {
        guard let name = variables.keys.min(by: { $0.text < $1.text }), let rows = variables[name],
            let entry = rows.keys.max(by: { $0.lexicographicallyPrecedes($1) }), let row = rows[entry]
        else { return nil }
        let key = entry.isEmpty ? nil : try? String(parsing: entry)
        return Facts([Fact(variable: name.text, entry: key, value: row.value)])
    }

    /// The rows in the order of an export.
    var rows: [(fact: Fact, since: Int?)] {
        var all: [(fact: Fact, since: Int?)] = []
        for name in variables.keys.sorted(by: { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }) {
            let rows = variables[name] ?? [:]
            for entry in rows.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                guard let row = rows[entry] else { continue }
                let key = entry.isEmpty ? nil : try? String(parsing: entry)
                all.append((Fact(variable: name.text, entry: key, value: row.value), row.since))
            }
        }
        return all
    }
}
