import Expressions
import JSON
import Reactive
import StateStore

/// The operators behind a view of a table in one space. A commit costs the expressions of the rows that it changed.
final class QueryPipeline {
    private let query: TableQuery
    private let space: DescribedSpace
    private let parameters: JSON
    private let token: JSON

    init(_ query: TableQuery, _ space: DescribedSpace, _ parameters: JSON, _ token: JSON) {
        (self.query, self.space, self.parameters, self.token) = (query, space, parameters, token)
    }

    /// Returns the view for the values of `query.beside`, in their order.
    func values(besides values: [JSON]) -> DescribedValues {
        guard var rows = query.source.rows(in: space) else { return .value(.just(.null)) }
        let frame = frame(values)
        let carrier = RowCarrier(hasJoins: !query.joins.isEmpty, hidden: query.hiddenRows)
        var condition = query.condition
        var found: (rows: SearchRows, words: SearchWords)?
        if let search = query.search {
            do {
                found = try self.search(search, rows, frame)
            } catch {
                return .value(.failed(error))
            }
        }
        if let found {
            rows = best(found, rows, frame, carrier) ?? found.rows.rows(found.words)
        } else if let plan = query.plan, let table = rows as? ReadableTable<String, DescribedRow>,
            let groups = plan.groups(in: frame)
        {
            let index = space.index(plan.index, of: table)
            if plan.givesOrder, groups.count == 1 {
                return .list(
                    list(index.rows.list(of: groups[0], limit: query.limit ?? .max, form: index.form), frame, carrier))
            }
            rows = index.rows.rows(of: groups)
            if plan.coversCondition { condition = nil }
        }
        if carrier.hasJoins { rows = joined(rows, frame) }
        if let condition {
            rows = rows.filter { key, carried in
                let carried = carried.value
                let value = try frame.evaluate(condition, key, carrier.row(carried), carrier.joined(carried))
                guard case .bool(let truth) = value else {
                    throw FormulaFailure("where takes a bool, not \(value.kind.words)", at: condition.pointer)
                }
                return truth
            }
        }
        if let fold = query.fold {
            return .value(
                RowFold(fold, carrier).values(of: rows) { formula, key, carried in
                    try frame.evaluate(formula, key, carrier.row(carried), carrier.joined(carried))
                })
        }
        return .list(list(rows, frame, carrier, found))
    }

    /// Returns the full-text index and the words for which the view searches; nil for no words.
    private func search(
        _ search: (index: CompiledSearch, text: CompiledFormula), _ rows: Rows<String, DescribedRow>, _ frame: RowFrame
    ) throws -> (rows: SearchRows, words: SearchWords)? {
        guard let table = rows as? ReadableTable<String, DescribedRow> else { return nil }
        switch try frame.evaluate(search.text, "", .null, nil) {
        case .null: return nil
        case .string(let text): return SearchWords(text).map { (space.index(search.index, of: table), $0) }
        case let value:
            throw FormulaFailure("for takes a text, not \(value.kind.words)", at: search.text.pointer)
        }
    }

    /// Returns the rows of a search that the view shows; nil if it shows all, or if its order is none of an index.
    private func best(
        _ found: (rows: SearchRows, words: SearchWords), _ rows: Rows<String, DescribedRow>, _ frame: RowFrame,
        _ carrier: RowCarrier
    ) -> Rows<String, DescribedRow>? {
        guard let limit = query.limit, query.fold == nil, !carrier.hasJoins,
            query.sort.isEmpty || query.order != nil, let table = rows as? ReadableTable<String, DescribedRow>
        else { return nil }
        let order = query.order.map { space.index($0, of: table).rows } ?? space.keyOrder(found.rows.search, of: table)
        let groups = query.plan.flatMap { plan in
            plan.groups(in: frame).map { (index: space.index(plan.index, of: table).rows, groups: $0) }
        }
        let condition = query.condition
        return found.rows.best(
            found.words,
            SearchWords.Index.BestRows(limit: limit, order: order, groups: groups) { key, row in
                guard let condition else { return true }
                // A condition that fails is left to the view.
                guard let value = try? frame.evaluate(condition, key, carrier.row(row.value), carrier.joined(row.value))
                else { return true }
                return value != .bool(false)
            })
    }

    private func frame(_ values: [JSON]) -> RowFrame {
        let place = NamePlace.self
        var frame = Array(repeating: ExpressionInput.json(.null), count: place.count)
        frame[place.input] = .json(parameters)
        frame[place.space] = .json(.string(space.name))
        frame[place.token] = .json(token)
        var own = JSON.Object()
        var given: [String: JSON.Object] = [:]
        var views = JSON.Object()
        for (beside, value) in zip(query.beside, values) {
            switch beside {
            case .own(_, let label): own[label] = value
            case .given(let feature, let label): given[feature, default: JSON.Object()][label] = value
            case .view(let label, _): views[label] = value
            case .time: frame[place.now] = .json(value)
            }
        }
        frame[place.state] = .json(.object(own))
        frame[place.given] = .map(LazyMap(given.map { ($0.key, .json(.object($0.value))) }))
        frame[place.views] = .json(.object(views))
        return RowFrame(frame)
    }

    private func joined(
        _ rows: Rows<String, DescribedRow>, _ frame: RowFrame
    ) -> Rows<String, DescribedRow> {
        var carried: Rows<String, DescribedRow> = rows.map { _, row in row.with(.array([row.value, [:]])) }
        for join in query.joins {
            guard let other = join.source.rows(in: space) else { continue }
            carried = carried.joined(
                with: other,
                by: { key, carried in
                    switch try frame.evaluate(join.key, key, carried.value[0] ?? .null, carried.value[1]) {
                    case .string(let name): return name
                    case .null: return nil
                    case let value:
                        throw FormulaFailure("a key is a string, not \(value.kind.words)", at: join.key.pointer)
                    }
                }
            ) { _, carried, other in
                guard case .object(var joined)? = carried.value[1] else { return carried }
                joined[join.name] = other?.value ?? .null
                return carried.with(.array([carried.value[0] ?? .null, .object(joined)]))
            }
        }
        return carried
    }

    private func list(
        _ rows: Rows<String, DescribedRow>, _ frame: RowFrame, _ carrier: RowCarrier,
        _ found: (rows: SearchRows, words: SearchWords)? = nil
    ) -> OrderedRows<String, JSON> {
        guard !query.sort.isEmpty || found != nil else {
            return list(limited(rows.sorted { $0.added }), frame, carrier)
        }
        let select = selection(frame, carrier)
        return limited(sorted(rows, frame, carrier, found)).map { key, sorted in try select(key, sorted[1] ?? .null) }
    }

    /// Returns the elements of a list of rows that stand in their order.
    private func list(
        _ rows: OrderedRows<String, DescribedRow>, _ frame: RowFrame, _ carrier: RowCarrier
    ) -> OrderedRows<String, JSON> {
        let select = selection(frame, carrier)
        return rows.map { key, row in try select(key, row.value) }
    }

    /// The expression that makes an element of a row.
    private func selection(_ frame: RowFrame, _ carrier: RowCarrier) -> (String, JSON) throws -> JSON {
        let select = query.select
        return { key, carried in
            let row = carrier.row(carried)
            guard let select else { return ["key": .string(key), "row": row] }
            return try frame.evaluate(select, key, row, carrier.joined(carried))
        }
    }

    private func limited<Row>(_ list: OrderedRows<String, Row>) -> OrderedRows<String, Row> {
        query.limit.map { list.limit($0) } ?? list
    }

    /// Returns the rows in the order that the view states. A sorted row is a list of its sort values and the row, so that
    /// a comparison evaluates nothing.
    private func sorted(
        _ rows: Rows<String, DescribedRow>, _ frame: RowFrame, _ carrier: RowCarrier,
        _ found: (rows: SearchRows, words: SearchWords)?
    ) -> OrderedRows<String, JSON> {
        let sort = query.sort
        // Rows with more words in the first field come first, then those with more in the second.
        let isFalling = Array(repeating: true, count: found?.rows.search.fields.count ?? 0) + sort.map(\.isFalling)
        func ranks(_ key: String, _ carried: JSON) -> [JSON] {
            guard let found else { return [] }
            let row = carrier.hasJoins ? carried[0] ?? .null : carried
            return found.rows.ranks(key, row, found.words)?.map { .number(Decimal(Int64($0))) } ?? []
        }
        let valued: Rows<String, JSON> = rows.map { key, row in
            let carried = row.value
            return .array([
                .array(
                    try ranks(key, carried)
                        + sort.map {
                            SortValue.sortable(
                                try frame.evaluate($0.formula, key, carrier.row(carried), carrier.joined(carried)),
                                $0.formula.type)
                        }), carried,
            ])
        }
        return valued.sorted { one, other in
            for (place, isFalling) in isFalling.enumerated() {
                let order = SortValue.compare(one[0]?[place] ?? .null, other[0]?[place] ?? .null)
                if order != 0 { return isFalling ? order > 0 : order < 0 }
            }
            return false
        }
    }
}
