import Expressions
import Ground
import JSON
import Reactive
import StateModel

/// The state of one space as the expressions of actions read it: through the commit of the present call.
final class ActionReads {
    /// The name of the space.
    let space: ExpressionInput
    private(set) var state = ExpressionInput.json(.null)
    private(set) var given = ExpressionInput.json(.null)
    private(set) var newID = ExpressionInput.json(.null)
    private(set) var newSecret = ExpressionInput.json(.null)
    let index: ExpressionInput
    let indexes: FeatureIndexes
    private let call: PresentCall

    init(
        _ space: DescribedSpace, _ labels: [String], indexes: [StateIndex] = [], countsIdentifiers: Bool = false
    ) {
        call = PresentCall(countsIdentifiers: countsIdentifiers)
        self.space = .json(.string(space.name))
        let call = call
        self.indexes = FeatureIndexes(indexes, in: space)
        index = .map(LazyMap(of: CallIndexes(self.indexes, call)))
        var own: [(String, @Sendable () -> ExpressionInput)] = []
        for (label, state) in zip(labels, space.state) { own.append((label, Self.input(state, label, call))) }
        self.state = Self.map(own)
        given = Self.map(
            space.given.map { feature, states in
                let parts = states.map { ($0.key, Self.input($0.value, (feature, $0.key), call)) }
                let map = Self.map(parts)
                return (feature, { map })
            })
        let confined = Confined(call)
        newID = .map(LazyMap(generating: { .string(confined.value.newID()) }))
        newSecret = .map(LazyMap(generating: { .string(confined.value.newSecret()) }))
    }

    /// The rows that the expressions of the present call have read.
    var rowsCount: Int { call.rowsCount }

    /// Runs `body` with a commit. `action` is the action that clients predict, as `feature/action`; nil for another one.
    func reading<Result>(
        _ commit: inout Commit, predicting action: String? = nil,
        _ body: (UnsafeMutablePointer<Commit>) throws(Rejection) -> Result
    ) throws(Rejection) -> Result {
        let outcome: Swift.Result<Result, Rejection> = withUnsafeMutablePointer(to: &commit) { pointer in
            (call.commit, call.predicted) = (pointer, action)
            defer { call.end() }
            do throws(Rejection) {
                return .success(try body(pointer))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Runs `body` with null in place of private parts.
    func hiding<Result>(_ parts: HiddenParts, _ body: () throws(Rejection) -> Result) throws(Rejection) -> Result {
        call.hidden = parts
        defer { call.hidden = nil }
        return try body()
    }

    /// A map of parts that are read each time.
    private static func map(_ parts: [(String, @Sendable () -> ExpressionInput)]) -> ExpressionInput {
        let names = parts.map(\.0)
        let reads = Dictionary(parts.map { ($0.0, $0.1) }, uniquingKeysWith: { first, _ in first })
        return .map(LazyMap(count: { names.count }, key: { names[$0] }, value: { reads[$0]?() }))
    }

    private static func input(
        _ state: DescribedState, _ label: String, _ call: PresentCall
    ) -> @Sendable () -> ExpressionInput {
        switch state {
        case .variable(let variable):
            let confined = Confined(OwnValue(variable, label, call))
            return { .json(confined.value.current) }
        case .table(let table): return rows(OwnRows(table, label, call))
        }
    }

    private static func input(
        _ state: GivenState, _ name: (feature: String, label: String), _ call: PresentCall
    ) -> @Sendable () -> ExpressionInput {
        switch state {
        case .variable(_, let read):
            let confined = Confined(OtherValue(read, name, call))
            return { .json(confined.value.current) }
        case .table(_, let given): return rows(OtherRows(given, name, call))
        }
    }

    /// A map of the rows of a table, which are read one by one. An iteration has the rows in the order of their keys.
    private static func rows(_ rows: CallRows) -> @Sendable () -> ExpressionInput {
        let confined = Confined(rows)
        let map = LazyMap(
            count: { confined.value.count }, key: { confined.value.key(at: $0) },
            value: { confined.value.row($0).map { .json($0) } })
        return { .map(map) }
    }
}

/// The indexes as the expressions of the present call of an action read them.
final class CallIndexes: IndexReading {
    private struct Parts {
        let indexes: FeatureIndexes
        let call: PresentCall
    }

    private let parts: Confined<Parts>

    init(_ indexes: FeatureIndexes, _ call: PresentCall) { parts = Confined(Parts(indexes: indexes, call: call)) }

    func rows(of index: String, _ group: [JSON]) -> any RowRange {
        let call = parts.value.call
        guard let named = parts.value.indexes.byName[index] else { return NoRows() }
        let (table, label) = (named.table, named.label)
        return GroupRange(
            named.index, named.index.rows.entries, of: CompiledIndex.group(group),
            row: { key in
                let row = call.commit?.pointee[table, key]?.value
                guard let parts = call.hidden?.own[label] else { return row }
                return row.map { parts.masking($0) }
            }, whole: { key in call.commit?.pointee[table, key] })
    }

    func groupCount(of index: String) -> Int { parts.value.indexes.byName[index]?.index.rows.groupCount ?? 0 }
}
