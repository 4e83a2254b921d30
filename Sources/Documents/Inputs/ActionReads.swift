import Expressions
import Ground
import JSON
import Reactive
import StateStore

/// The state of one space as the expressions of actions read it: through the commit of the present call.
final class ActionReads {
    /// The name of the space.
    let space: ExpressionInput
    private(set) var state = ExpressionInput.json(.null)
    private(set) var given = ExpressionInput.json(.null)
    private(set) var newID = ExpressionInput.json(.null)
    private let tables: TableReads

    /// The present call. The maps retain it, so it does not retain the maps.
    private final class TableReads {
        /// The commit of the call. Set for the length of a call only.
        var commit: UnsafeMutablePointer<Commit>?
        var iterated: [IteratedKeys] = []
        var identifiers = 0
        /// True if new identifiers count from 1, as in tests.
        let countsIdentifiers: Bool

        init(countsIdentifiers: Bool) { self.countsIdentifiers = countsIdentifiers }
    }

    /// The sorted keys of a table, from the beginning of an iteration on.
    private final class IteratedKeys {
        var keys: [String] = []
    }

    init(_ space: DescribedSpace, _ labels: [String], countsIdentifiers: Bool = false) {
        tables = TableReads(countsIdentifiers: countsIdentifiers)
        self.space = .json(.string(space.name))
        let tables = tables
        var own: [(String, @Sendable () -> ExpressionInput)] = []
        for (label, state) in zip(labels, space.state) { own.append((label, Self.input(state, tables))) }
        self.state = Self.map(own)
        given = Self.map(
            space.given.map { feature, states in
                let parts = states.map { ($0.key, Self.input($0.value, tables)) }
                let map = Self.map(parts)
                return (feature, { map })
            })
        let confined = Confined(tables)
        newID = .map(
            LazyMap(generating: {
                let tables = confined.value
                guard let commit = tables.commit else { return .null }
                guard tables.countsIdentifiers else { return .string(commit.pointee.newID()) }
                tables.identifiers += 1
                return .string("\(tables.identifiers)")
            }))
    }

    /// Runs `body` with a commit.
    func reading<Result>(
        _ commit: inout Commit, _ body: (UnsafeMutablePointer<Commit>) throws(Rejection) -> Result
    ) throws(Rejection) -> Result {
        let outcome: Swift.Result<Result, Rejection> = withUnsafeMutablePointer(to: &commit) { pointer in
            tables.commit = pointer
            defer {
                tables.commit = nil
                for table in tables.iterated { table.keys = [] }
                tables.iterated = []
            }
            do throws(Rejection) {
                return .success(try body(pointer))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// A map of parts that are read each time.
    private static func map(_ parts: [(String, @Sendable () -> ExpressionInput)]) -> ExpressionInput {
        let names = parts.map(\.0)
        let reads = Dictionary(parts.map { ($0.0, $0.1) }, uniquingKeysWith: { first, _ in first })
        return .map(LazyMap(count: { names.count }, key: { names[$0] }, value: { reads[$0]?() }))
    }

    private static func input(_ state: DescribedState, _ tables: TableReads) -> @Sendable () -> ExpressionInput {
        switch state {
        case .variable(let variable):
            let confined = Confined((variable, tables))
            return {
                let (variable, tables) = confined.value
                return .json(tables.commit.map { $0.pointee[variable] } ?? .null)
            }
        case .table(let table):
            return rows(
                tables, count: { $0.rowCount(of: table) }, all: { Array($0.rows(of: table).keys) },
                row: { $1[table, $0] })
        }
    }

    private static func input(_ state: GivenState, _ tables: TableReads) -> @Sendable () -> ExpressionInput {
        switch state {
        case .variable(_, let read):
            let confined = Confined((read, tables))
            return {
                let (read, tables) = confined.value
                return .json(tables.commit.map { read($0.pointee) } ?? .null)
            }
        case .table(_, let given):
            return rows(tables, count: given.count, all: { Array(given.all($0).keys) }, row: given.row)
        }
    }

    /// A map of the rows of a table, which are read one by one. An iteration has the rows in the order of their keys.
    private static func rows(
        _ tables: TableReads, count: @escaping (borrowing Commit) -> Int,
        all: @escaping (borrowing Commit) -> [String], row: @escaping (String, borrowing Commit) -> JSON?
    ) -> @Sendable () -> ExpressionInput {
        let confined = Confined((tables, count, all, row))
        let sorted = Confined(IteratedKeys())
        let map = LazyMap(
            count: {
                let (tables, count, _, _) = confined.value
                return tables.commit.map { count($0.pointee) } ?? 0
            },
            key: { place in
                let (tables, _, all, _) = confined.value
                let sorted = sorted.value
                if place == 0 {
                    if sorted.keys.isEmpty { tables.iterated.append(sorted) }
                    sorted.keys = tables.commit.map { all($0.pointee).sorted() } ?? []
                }
                return place < sorted.keys.count ? sorted.keys[place] : ""
            },
            value: { key in
                let (tables, _, _, row) = confined.value
                return tables.commit.flatMap { row(key, $0.pointee) }.map { .json($0) }
            })
        return { .map(map) }
    }
}
