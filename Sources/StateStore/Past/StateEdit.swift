internal import Ground
internal import Platform
package import JSON

/// The change of single rows by an administrator, or the undoing of one commit: a call like that of an action.
package final class StateEdit: SpaceAction {
    /// The action of the call, and of its commit.
    package static let action = ActionID(feature: "administration", action: "edit")

    /// The change of one row.
    package struct RowEdit: Sendable {
        /// The kind of change.
        package enum RowOperation: Sendable {
            /// Members that are replaced.
            case members(JSON.Object)
            /// The whole row, but for private members that it does not name.
            case row(JSON)
            case removal
        }

        let table: String
        let key: String
        let change: RowOperation

        /// The change of the row of a key in a table, which is named as `feature.table`.
        package init(_ table: String, _ key: String, _ change: RowOperation) {
            (self.table, self.key, self.change) = (table, key, change)
        }
    }

    /// A commit that is to be undone.
    struct UndoneCommit {
        /// The variables and rows that it changed.
        let places: [StatePlace]
        /// The features in the state before it.
        let before: PastFeatures
        /// The version up to which no later commit has changed a place.
        let version: Int
    }

    /// A variable in facts, or a row of a table.
    struct StatePlace: Hashable {
        let variable: String
        let entry: String?

        /// Returns true if both have something in common.
        func meets(_ other: StatePlace) -> Bool {
            variable == other.variable && (entry == nil || other.entry == nil || entry == other.entry)
        }
    }

    /// The reason that a commit cannot be undone.
    package enum UndoFault: Error {
        /// A later commit has changed what the commit changed.
        case overtaken(by: Int)
        /// The commit has changed no state that an edit can change.
        case nothing
        /// There is no commit of the version.
        case noCommit
        case past(PastRefusal)
    }

    /// The content of an edit.
    enum EditContent {
        case rows([RowEdit])
        case undo(Result<UndoneCommit, UndoFault>)
    }

    let content: EditContent
    /// True if the edit is tried and not committed.
    let isRehearsal: Bool

    /// The change of some rows.
    package init(_ rows: [RowEdit], isRehearsal: Bool) {
        content = .rows(rows)
        self.isRehearsal = isRehearsal
    }

    private static let pageSize = 200

    /// The undoing of the commit of a version. A fault becomes the answer of the call, unless the call repeats one that
    /// was performed.
    package init(undoing version: Int, in space: SpaceName, _ context: PastContext, isRehearsal: Bool) {
        self.isRehearsal = isRehearsal
        do throws(UndoFault) {
            content = .undo(.success(try Self.undone(version, in: space, context)))
        } catch {
            content = .undo(.failure(error))
        }
    }

    private static func undone(
        _ version: Int, in space: SpaceName, _ context: PastContext
    ) throws(UndoFault) -> UndoneCommit {
        guard version > 0 else { throw .noCommit }
        var places: [StatePlace] = []
        var newest = version - 1
        while let last = try page(of: space, after: newest, context) {
            for record in last {
                let own = Self.places(of: record)
                if record.version == version {
                    places = own
                } else if own.contains(where: { one in places.contains { $0.meets(one) } }) {
                    throw .overtaken(by: record.version)
                }
                newest = record.version
            }
        }
        guard newest >= version else { throw .noCommit }
        guard !places.isEmpty else { throw .nothing }
        do throws(PastRefusal) {
            let stored = try PastContent(of: space, at: .version(version - 1), context.journal)
            let features = try Restoration.features(of: space, stored.own ?? stored.common, context)
            return UndoneCommit(places: places, before: context.lending(features), version: newest)
        } catch {
            throw .past(error)
        }
    }

    /// Returns the next commits after a version; nil for none.
    private static func page(
        of space: SpaceName, after version: Int, _ context: PastContext
    ) throws(UndoFault) -> [CommitRecord]? {
        let history: CommitHistory
        do throws(PastRefusal) {
            history = try context.journal.reading { () throws(JournalFailure) in
                try context.journal.read(space, after: version, limit: pageSize)
            }
        } catch {
            throw .past(error)
        }
        switch history {
        case .commits(let records): return records.isEmpty ? nil : records
        case .gone(let oldest): throw .past(.gone(space, oldest: oldest))
        }
    }

    /// The state that a commit changed. Memory goes on as with any commit.
    private static func places(of record: CommitRecord) -> [StatePlace] {
        record.facts.filter { !Fact.isMemory($0.variable) && !Fact.isLevel($0.variable) }.map {
            StatePlace(variable: $0.variable, entry: $0.entry)
        }
    }

    /// The call that makes the change.
    package func call(
        input: [UInt8]?, _ json: JSON, key: String?, views: ReadPermit?, condition: Call.Condition?, caller: Caller
    ) -> Call {
        Call(
            Self.action, input: input, key: key, views: views, condition: condition, caller: caller
        ).with(self, json)
    }
}
