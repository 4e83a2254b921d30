import Expressions
import JSON
import StateModel

/// A compiled view.
struct CompiledView: Sendable {
    enum CompiledViewForm: Sendable {
        case expression(ExpressionView)
        case query(TableQuery)
        case pipeline(PipelineView)

        /// True if it is computed from the changes of rows.
        var isQuery: Bool { if case .query = self { true } else { false } }
    }

    let part: WrittenView
    let form: CompiledViewForm
    /// The type of the values.
    let type: ExpressionType
    /// True if the values are lists that are maintained by row.
    let isList: Bool
    /// The views of the same feature that it reads.
    let reads: Set<String>
    /// True if it reads the name of the space.
    let readsSpaceName: Bool
    /// False if it derives from a table whose rows are in memory only.
    var isKept: Bool
    /// True if it reads the time.
    var readsTime = false
    /// True if its values show private members, which its history withholds.
    var showsPrivate: Bool
    /// The claims that it reads; nil if it is the same for all.
    let claims: ClaimSet?
    /// The given features whose state it reads.
    var given: Set<String> = []
    /// The private places of the state that are null in what it reads, as `feature.variable/member`.
    var hiddenPlaces: Set<String> = []
    /// Its rules and that of the feature; nil without one.
    var rule: ViewRule?
}

extension CompiledView {
    /// The parameters with which it reads another view.
    func parameters(of read: CompiledView) -> [JSON] {
        if case .pipeline(let view) = form {
            let given = view.own.filter { $0.label == read.part.name }.map(\.parameters)
            if !given.isEmpty { return given }
        }
        return [read.part.defaults]
    }
}
