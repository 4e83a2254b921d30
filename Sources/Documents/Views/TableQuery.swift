import Expressions
import JSON
import Reactive
import StateStore

/// A view of the rows of a table. It never changes, and all spaces share it.
final class TableQuery: Sendable {
    /// A table of the own feature, by its index, or of a given one.
    enum Source: Sendable {
        case own(Int)
        case given(feature: String, label: String)

        func rows(in space: DescribedSpace) -> Rows<String, DescribedRow>? {
            switch self {
            case .own(let index): if case .table(let table) = space.state[index] { return table }
            case .given(let feature, let label):
                if case .table(let rows, _)? = space.given[feature]?[label] { return rows }
            }
            return nil
        }
    }

    /// Another table, a row of which each row refers to.
    struct QueryJoin: Sendable {
        let name: String
        let source: Source
        let key: CompiledFormula
    }

    /// The value that the view computes of its rows.
    struct Folding: Sendable {
        let form: WrittenQuery.Fold
        let value: CompiledFormula?
        let group: CompiledFormula?
    }

    /// A value beside the rows that an expression reads.
    enum Beside: Sendable {
        /// A variable of the feature.
        case own(Int, label: String)
        case given(feature: String, label: String)
        case view(label: String, name: String)
        case time(every: Int)
    }

    let source: Source
    let joins: [QueryJoin]
    let condition: CompiledFormula?
    let sort: [(formula: CompiledFormula, isFalling: Bool)]
    let limit: Int?
    let select: CompiledFormula?
    let fold: Folding?
    /// The values beside the rows that expressions read. The view is made anew when one of them has another value.
    let beside: [Beside]
    /// The full-text index, and the text that the view looks for; nil for none.
    let search: (index: CompiledSearch, text: CompiledFormula)?
    /// The index of all rows in the order of `sort`, for a view that searches; nil if there is none.
    let order: CompiledIndex?
    /// The index in place of a walk; nil for a walk.
    let plan: QueryPlan?
    /// The private parts of the rows, and of the joined rows by name, that are null for the view,
    let hiddenRows: (row: PrivateParts, joined: PrivateParts)
    /// and those of the values beside.
    let hidden: HiddenParts

    init(
        _ source: Source, joins: [QueryJoin], condition: CompiledFormula?,
        sort: [(formula: CompiledFormula, isFalling: Bool)], limit: Int?, select: CompiledFormula?, fold: Folding?,
        beside: [Beside], search: (index: CompiledSearch, text: CompiledFormula)? = nil, order: CompiledIndex? = nil,
        plan: QueryPlan?,
        hiding hidden: HiddenParts,
        _ hiddenRows: (row: PrivateParts, joined: PrivateParts)
    ) {
        (self.search, self.order, self.plan) = (search, order, plan)
        (self.hidden, self.hiddenRows) = (hidden, hiddenRows)
        (self.source, self.joins, self.condition, self.sort) = (source, joins, condition, sort)
        (self.limit, self.select, self.fold, self.beside) = (limit, select, fold, beside)
    }

    /// Returns the view in a space.
    func values(in space: DescribedSpace, _ parameters: JSON, _ token: JSON = .null) -> DescribedValues {
        let pipeline = QueryPipeline(self, space, parameters, token)
        guard !beside.isEmpty else { return pipeline.values(besides: []) }
        let inputs = combineLatest(beside.map { observable($0, space) }).removeDuplicates()
        return .value(
            inputs.flatMapLatest { values in
                switch pipeline.values(besides: values) {
                case .value(let values): values
                case .list(let rows): rows.map { .array($0.rows) }
                }
            })
    }

    private func observable(_ beside: Beside, _ space: DescribedSpace) -> Observable<JSON> {
        switch beside {
        case .own(let index, let label):
            if case .variable(let variable) = space.state[index] { return variable.hiding(hidden.own[label]) }
        case .given(let feature, let label):
            if case .variable(let values, _)? = space.given[feature]?[label] {
                return values.hiding(hidden.given[feature]?[label])
            }
        case .time(let seconds): return space.clock.time(every: seconds)
        case .view(_, let name): if let view = space.views[name] { return view }
        }
        return .just(.null)
    }
}
