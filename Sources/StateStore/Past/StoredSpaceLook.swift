package import JSON
import Reactive

/// A look at the stored state of each space, one after another.
package protocol StoredSpaceLook: Sendable {
    /// Takes the stored state of a space. `key` is that of the digests that clients see.
    mutating func take(_ space: SpaceName, _ facts: [Fact], _ key: DigestKey) throws(PastRefusal)
}

extension StoredSpaceLook {
    /// Looks at a page of spaces after a name. Returns the last name of the page; nil after the last page.
    package mutating func page(
        after name: SpaceName?, limit: Int, in journal: any Journal
    ) throws(JournalFailure) -> SpaceName? {
        let names = try journal.spaces(after: name, limit: limit).map(\.name)
        for (space, loaded) in zip(names, journal.load(all: names)) {
            // A damaged space has its own report.
            guard case .success(let stored?) = loaded else { continue }
            takeReadable(space, stored.facts, journal.digestKey)
        }
        return names.count < limit ? nil : names.last
    }

    /// Looks at all spaces of a journal.
    package mutating func takeAll(in journal: any Journal) throws(JournalFailure) {
        var last: SpaceName?
        repeat { last = try page(after: last, limit: 64, in: journal) } while last != nil
    }

    /// Takes the stored state of a space, unless it cannot be read.
    package mutating func takeReadable(_ space: SpaceName, _ facts: [Fact], _ key: DigestKey) {
        do throws(PastRefusal) { try take(space, facts, key) } catch {}
    }
}

/// The state that documents leave out and do not name in `drops`.
package struct LostState: StoredSpaceLook {
    /// A stored row, or the value of a variable.
    package struct LostValue: Sendable {
        package let space: SpaceName
        /// The key of the row; nil for a variable.
        package let key: String?
        package let value: JSON
    }

    /// A variable or table that would vanish.
    package struct LostPart: Sendable {
        private static let examplesLimit = 3

        package let feature: String
        package let name: String
        package let isTable: Bool
        package fileprivate(set) var spaces = 0
        package fileprivate(set) var rows = 0
        /// The first rows, or values, at most three.
        package private(set) var examples: [LostValue] = []
        fileprivate let variable: String
        fileprivate let initial: JSON?

        /// The reason to refuse a document that leaves the part out.
        package var words: String {
            "\(name) would vanish, with \(amount): give it another name with was, make rows of it with from, or write it in drops"
        }

        /// The amount of stored state: `2 rows in 1 space`.
        package var amount: String {
            let stored = isTable ? "\(rows) row\(rows == 1 ? "" : "s")" : "a value"
            return "\(stored) in \(spaces) space\(spaces == 1 ? "" : "s")"
        }

        fileprivate mutating func note(_ key: String?, _ value: @autoclosure () -> JSON?, in space: SpaceName) {
            guard examples.count < Self.examplesLimit, let value = value() else { return }
            examples.append(LostValue(space: space, key: key, value: value))
        }
    }

    private var parts: [LostPart] = []

    package init(_ documents: [String: JSON], in present: DeployedDocuments) {
        for (name, document) in documents.sorted(by: { $0.key < $1.key }) {
            for label in present.lost(name, by: document) {
                let initial = present.initialValue(of: label, name)
                parts.append(
                    LostPart(
                        feature: name, name: label, isTable: present.isTable(label, name),
                        variable: present.variable(label, of: name), initial: initial))
            }
        }
    }

    /// True if no space can lose anything.
    package var isEmpty: Bool { parts.isEmpty }

    /// The parts that some space has rows or another value than the initial one of.
    package var lost: [LostPart] { parts.filter { $0.spaces > 0 } }

    package mutating func take(_ space: SpaceName, _ facts: [Fact], _ key: DigestKey) {
        for index in parts.indices {
            let own = facts.filter { $0.variable == parts[index].variable }
            var rows = 0
            for fact in own {
                if let key = fact.entry {
                    guard let bytes = fact.value else { continue }
                    rows += 1
                    parts[index].note(key, Self.row(bytes), in: space)
                } else if !fact.isEmptyState, let value = fact.value.flatMap({ try? JSON(parsing: $0) }) {
                    if !parts[index].isTable {
                        guard value != parts[index].initial else { continue }
                        rows += 1
                        parts[index].note(nil, value, in: space)
                    } else if case .object(let whole) = value {
                        rows += whole.count
                        for row in whole { parts[index].note(row.key, Self.row(Array("\(row.value)".utf8)), in: space) }
                    }
                }
            }
            guard rows > 0 else { continue }
            parts[index].spaces += 1
            parts[index].rows += parts[index].isTable ? rows : 0
        }
    }

    /// A row without its first adding; nil if the bytes are no JSON.
    private static func row(_ bytes: [UInt8]) -> JSON? { (try? DescribedRow(parsing: bytes))?.value }
}

/// The number of spaces whose state of a feature has the form of the present document.
package struct MigrationCount: StoredSpaceLook {
    package private(set) var left = 0
    package private(set) var done = 0
    private let name: String
    private let registry: Registry

    package init(of name: String, _ registry: Registry) { (self.name, self.registry) = (name, registry) }

    package mutating func take(_ space: SpaceName, _ facts: [Fact], _ key: DigestKey) throws(PastRefusal) {
        switch registry.isOutdated(name, facts, in: space) {
        case true?: left += 1
        case false?: done += 1
        case nil: break
        }
    }
}

extension Registry {
    /// The features whose documents have migrated state.
    var migratingFeatures: [String] {
        [Scope.space, .common].flatMap { scope in
            catalog.blueprints(in: scope).filter { $0.level > 0 && !$0.isVacant }.map(\.name)
        }
    }

    /// Returns true if stored state of a feature has an older form than its definition; nil if the space has none of its state.
    func isOutdated(_ name: String, _ facts: [Fact], in space: SpaceName) -> Bool? {
        let scope: Scope = space == .common ? .common : .space
        guard let blueprint = catalog.blueprints(in: scope).first(where: { $0.name == name && !$0.isVacant }) else {
            return nil
        }
        let own = Set(blueprint.variables.map(\.key)).union(blueprint.storedKeys)
        guard facts.contains(where: { !$0.isEmptyState && own.contains($0.variable) }) else { return nil }
        let level = facts.last { $0.variable == "~~\(name)\(blueprint.keySuffix)" }.flatMap { fact in
            fact.value.flatMap { try? JSON(parsing: $0) }
        }
        return StateLevel(level ?? .null).declared < blueprint.level
    }
}

/// What a change of documents would make of the state of all spaces.
package struct MigrationRehearsal: StoredSpaceLook {
    private let features: [String]
    private let registry: Registry
    private let administers: @Sendable (SpaceName) -> Bool
    private var spaces = 0
    private var rows: [String: (kept: Int, changed: Int, failing: Int)] = [:]
    private var examples: [JSON] = []
    private var failing: [JSON] = []
    private var exampleCounts: [String: Int] = [:]
    /// The number of rows that unique indexes would refuse, and the first of them.
    package private(set) var repeatedCount = 0
    package private(set) var repeated: [JSON] = []

    /// The rehearsal of a change of documents; of one of them, if `name` is given.
    package init(
        of name: String? = nil, _ change: DocumentChange, to present: DeployedDocuments, _ library: DocumentLibrary,
        administers: @escaping @Sendable (SpaceName) -> Bool
    ) {
        features = name.map { [$0] } ?? change.names
        self.administers = administers
        registry = library.deployment(of: change.applied(to: present), isPast: true).registry
    }

    package mutating func take(_ space: SpaceName, _ facts: [Fact], _ key: DigestKey) throws(PastRefusal) {
        let scope: Scope = space == .common ? .common : .space
        let common = FeatureSet(registry.catalog, of: .common, key: key)
        let set =
            space == .common
            ? common : FeatureSet(registry.catalog, of: space, beside: common, key: key)
        do throws(JSONError) {
            try set.restore(facts)
        } catch {
            throw .unreadable(JournalFailure(.damaged, "the space \(space) cannot be read: \(error)"))
        }
        let facts = set.renamed(facts)
        var isCounted = false
        for (index, blueprint) in registry.catalog.blueprints(in: scope).enumerated()
        where features.contains(blueprint.name) && !blueprint.isVacant {
            let level = set.level(of: blueprint)
            let tables = set[index].rehearse(from: level) { set.rows(of: $0, blueprint, in: facts) }
            let isStored = facts.contains { $0.variable.hasPrefix("\(blueprint.name).") }
            guard isStored else { continue }
            isCounted = true
            for table in tables { note(table, in: space) }
        }
        if isCounted { spaces += 1 }
    }

    private mutating func note(_ table: MigratedTable, in space: SpaceName) {
        var count = rows[table.label] ?? (0, 0, 0)
        count.kept += table.kept
        count.changed += table.changed
        count.failing += table.failing
        rows[table.label] = count
        repeatedCount += table.repeated.count
        guard administers(space) else { return }
        for row in table.repeated.prefix(MigratedTable.failingLimit - repeated.count) {
            repeated.append([
                "space": .string("\(space)"), "table": .string(table.label), "index": .string(row.index),
                "key": .string(row.key), "other": .string(row.other),
            ])
        }
        for example in table.examples where exampleCounts[table.label, default: 0] < MigratedTable.examplesLimit {
            exampleCounts[table.label, default: 0] += 1
            examples.append([
                "space": .string("\(space)"), "table": .string(table.label), "key": .string(example.key),
                "before": example.before, "after": example.after ?? .null,
            ])
        }
        for failure in table.failures where failing.count < MigratedTable.failingLimit {
            failing.append([
                "space": .string("\(space)"), "table": .string(table.label), "key": .string(failure.key),
                "pointer": .string(failure.pointer), "detail": .string(failure.detail),
            ])
        }
    }

    /// The report.
    package var json: JSON.Object {
        var object = JSON.Object()
        object["spaces"] = .number(Decimal(spaces))
        var counts = JSON.Object()
        for (label, count) in rows.sorted(by: { $0.key < $1.key }) {
            counts[label] = [
                "kept": .number(Decimal(count.kept)), "changed": .number(Decimal(count.changed)),
                "failing": .number(Decimal(count.failing)),
            ]
        }
        object["rows"] = .object(counts)
        object["examples"] = .array(examples)
        object["failing"] = .array(failing)
        return object
    }
}
