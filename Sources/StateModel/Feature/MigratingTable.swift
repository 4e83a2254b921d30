import JSON
import Reactive

/// A large table that nobody uses yet, and the rows that a migration makes for it, a slice at a time.
final class MigratingTable {
    /// Returns the key and the row that a row becomes; nil for none.
    typealias Conversion = (
        _ key: String, _ row: DescribedRow
    ) throws(MigrationFailure) -> (key: String, row: DescribedRow)?

    /// The rows of which the journal gets facts.
    enum KeptRows {
        /// Those that change.
        case changed
        /// All: the journal does not know the table under its name.
        case all
        /// All, of a table that has others while the journal does not know it.
        case whole
    }

    private enum MigrationStage { case reading, converting, finishing }

    /// The index of the table among the variables of its feature.
    let index: Int
    private let variable: FeatureBlueprint.StateVariable
    private let table: Table<String, DescribedRow>
    private let kept: KeptRows
    private let repeated: (() -> any RepeatedRowSearch)?
    private let convert: Conversion
    /// The initial rows that are added unless their keys are there.
    private let seeds: [String: DescribedRow]
    private var stage = MigrationStage.reading
    /// The facts of the rows that are not read yet.
    private var unread: ArraySlice<Fact>
    private var rows: [String: DescribedRow]
    /// The place of the next row.
    private var place: Dictionary<String, DescribedRow>.Index
    private var made: [String: DescribedRow]
    /// The key of the row that each row was made of; nil if no row gets another key.
    private var origins: [String: String]?
    private var search: (any RepeatedRowSearch)?
    /// The text of the whole, as far as it is made.
    private var whole: [UInt8] = []
    /// The facts of the rows that it makes.
    private(set) var facts = Facts()

    /// A table whose rows become others under the same keys.
    init(
        _ table: Table<String, DescribedRow>, _ index: Int, of blueprint: FeatureBlueprint, keeping kept: KeptRows,
        repeated: (() -> any RepeatedRowSearch)?, seeds: [String: DescribedRow], _ convert: @escaping Conversion
    ) {
        (self.table, self.index, variable, self.kept) = (table, index, blueprint.variables[index], kept)
        (self.repeated, self.seeds, self.convert) = (repeated, seeds, convert)
        (unread, rows, made) = ([], table.rows, [:])
        place = rows.startIndex
    }

    /// A table that gets rows made of others: of `rows`, or of those of some facts.
    init(
        _ table: Table<String, DescribedRow>, _ index: Int, of blueprint: FeatureBlueprint, keeping kept: KeptRows,
        repeated: (() -> any RepeatedRowSearch)?, from rows: [String: DescribedRow], _ facts: [Fact],
        _ convert: @escaping Conversion
    ) {
        (self.table, self.index, variable, self.kept) = (table, index, blueprint.variables[index], kept)
        (self.repeated, seeds, self.convert) = (repeated, [:], convert)
        (unread, self.rows, made, origins) = (facts[...], rows, table.rows, [:])
        place = rows.startIndex
    }

    /// Gives the table its rows. Precondition: all are made.
    func install() { table.restore(made) }

    /// Takes the next rows. Returns true once all are made.
    func take(_ count: Int) throws(MigrationFailure) -> Bool {
        switch stage {
        case .reading: read(count)
        case .converting: try convert(count)
        case .finishing: return try finish(count)
        }
        return false
    }

    private func read(_ count: Int) {
        for fact in unread.prefix(count) { rows.take(fact) }
        unread = unread.dropFirst(count)
        guard unread.isEmpty else { return }
        (unread, stage, place) = ([], .converting, rows.startIndex)
        if origins == nil { made.reserveCapacity(rows.count) }
    }

    private func convert(_ count: Int) throws(MigrationFailure) {
        for _ in 0..<count {
            guard place != rows.endIndex else { return endConverting() }
            let (key, row) = rows[place]
            rows.formIndex(after: &place)
            guard let new = try convert(key, row) else { continue }
            // Of the rows that become one, the last by key stays.
            if let other = origins?[new.key], other > key { continue }
            origins?[new.key] = key
            made[new.key] = new.row
        }
    }

    private func endConverting() {
        for (key, row) in seeds where made[key] == nil { made[key] = row }
        (rows, origins) = ([:], nil)
        (stage, place, search) = (.finishing, made.startIndex, repeated?())
    }

    /// Makes the facts, and looks for rows that a unique index would refuse.
    private func finish(_ count: Int) throws(MigrationFailure) -> Bool {
        for _ in 0..<count {
            guard place != made.endIndex else {
                endWhole()
                return true
            }
            let (key, row) = made[place]
            made.formIndex(after: &place)
            if let repeated = search?.note(key, row).first { throw repeated.failure(of: variable.label, key) }
            if kept == .changed, table.rows[key] == row { continue }
            do throws(JSONError) {
                let value = try row.json()
                if kept == .whole {
                    whole.append(UInt8(ascii: whole.isEmpty ? "{" : ","))
                    whole += try key.json() + [UInt8(ascii: ":")] + value
                } else {
                    facts.append(Fact(variable: variable.key, entry: key, value: value))
                }
            } catch {
                throw MigrationFailure(of: variable.label, key, "the result cannot be kept: \(error.reason)")
            }
        }
        return false
    }

    private func endWhole() {
        guard kept == .whole else { return }
        if whole.isEmpty { whole.append(UInt8(ascii: "{")) }
        whole.append(UInt8(ascii: "}"))
        facts.append(Fact(variable: variable.key, value: whole))
        whole = []
    }
}

/// The migration of the large tables of a space that nobody uses yet, in slices. The features that it fails for stay as
/// they are.
package final class LargeMigration {
    private let features: FeatureSet
    private var waiting: [(feature: FeatureInstance, tables: [MigratingTable])]
    /// The table that is next, of the first feature that waits.
    private var next = 0

    /// A migration of those features that are outdated. Precondition: the features have their facts.
    package init(of features: FeatureSet) {
        self.features = features
        waiting = features.outdated.map { feature in
            (
                feature,
                feature.largeTables(
                    from: features.level(of: feature.blueprint), renamed: features.renamedLabels(of: feature.blueprint),
                    waiting: { features.waitingFacts(of: $0, feature.blueprint) })
            )
        }
    }

    /// Takes the next rows. Returns true once all tables have theirs.
    package func take(_ count: Int) -> Bool {
        guard let (feature, tables) = waiting.first else { return true }
        do throws(MigrationFailure) {
            guard next < tables.count else {
                for table in tables { table.install() }
                end(MigratedTables(of: tables), of: feature)
                return false
            }
            if try tables[next].take(count) { next += 1 }
        } catch {
            end(MigratedTables(error), of: feature)
        }
        return false
    }

    private func end(_ tables: MigratedTables, of feature: FeatureInstance) {
        features.note(tables, of: feature)
        waiting.removeFirst()
        next = 0
    }
}

/// The large tables of a feature that have their new rows, before the commit of the migration; or the reason that they
/// cannot have them.
package struct MigratedTables {
    /// The reason; nil if they have their rows.
    package private(set) var failure: MigrationFailure?
    /// The indexes of the tables among the variables of the feature.
    package private(set) var indexes: Set<Int> = []
    /// The facts of their rows.
    private var facts: [Facts] = []

    /// No tables.
    package init() {}

    init(_ failure: MigrationFailure) { self.failure = failure }

    init(of tables: [MigratingTable]) {
        indexes = Set(tables.map(\.index))
        facts = tables.map(\.facts)
    }

    /// Appends the facts of their rows.
    package func append(to all: inout Facts) {
        for facts in facts { all.append(contentsOf: facts) }
    }
}
