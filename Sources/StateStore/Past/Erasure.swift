package import JSON

/// The erasure of a row: a call like that of an action.
package final class Erasure: SpaceAction {
    /// The action of the call, and of its commit.
    package static let action = ActionID(feature: "space", action: "erase")

    /// The row.
    let row: ErasedRow
    /// True if the journal has the row in the state or in a commit; or the reason why that cannot be read.
    let isStored: Result<Bool, PastRefusal>

    /// Looks for the row in the journal. A refusal becomes the answer of the call, unless the call repeats one that was
    /// performed.
    package init(of row: ErasedRow, in space: SpaceName, _ context: PastContext) {
        self.row = row
        do throws(PastRefusal) {
            isStored = .success(try Self.has(row, in: space, context.journal))
        } catch {
            isStored = .failure(error)
        }
    }

    private static let pageSize = 200

    /// Returns true if the oldest state that can be read, or a later commit, has the row.
    private static func has(
        _ row: ErasedRow, in space: SpaceName, _ journal: any Journal
    ) throws(PastRefusal) -> Bool {
        func isValue(_ fact: Fact) -> Bool { fact.value != nil && row.without(fact) != nil }
        var version = try journal.oldestVersion(of: space)
        let oldest = try journal.reading { () throws(JournalFailure) in try journal.load(space, at: version) }
        if case .state(let state, _) = oldest, state.facts.contains(where: isValue) { return true }
        while true {
            let page = try journal.reading { [version] () throws(JournalFailure) in
                try journal.read(space, after: version, limit: pageSize)
            }
            guard case .commits(let records) = page, let last = records.last else { return false }
            if records.contains(where: { $0.facts.contains(where: isValue) }) { return true }
            version = last.version
        }
    }

    /// The call that erases the row.
    package func call(
        input: [UInt8]?, _ json: JSON, key: String?, views: ReadPermit?, condition: Call.Condition?, caller: Caller
    ) -> Call {
        Call(
            Self.action, input: input, key: key, views: views, condition: condition, caller: caller
        ).with(self, json)
    }
}
