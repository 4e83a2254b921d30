import JSON
import Schemas
import StateModel

/// Null is no row: the journal, `changes` and patches write null for a row that was removed.
enum NullRows {
    /// The reason for which null is refused as a row.
    static let reason = "a row cannot be null, which stands for a row that was removed"

    /// The faults of tables whose rows may be null by their schema. They refuse a document that is put. A document that
    /// was taken before stays, and its actions cannot write such rows.
    static func faults(of document: FeatureDocument) -> [DocumentFault] {
        document.state.compactMap { state in
            guard case .table(let table) = state.form, table.row.namesNull else { return nil }
            return DocumentFault(
                "\(reason): leave null out of the schema, or put the value in a member of the row",
                at: JSONPointer(state.pointer.tokens + ["table", "row"]))
        }
    }
}
