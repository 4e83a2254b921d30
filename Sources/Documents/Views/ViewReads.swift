import Expressions
import Ground
import JSON
import Reactive
import StateModel

/// The state of one space as one active view reads it: each part that an evaluation reads is a source of the view until
/// an evaluation does not read it any more.
final class ViewReads {
    private(set) var state = ExpressionInput.json(.null)
    private(set) var given = ExpressionInput.json(.null)
    private(set) var index = ExpressionInput.json(.null)
    private var clock: ValueSource?

    /// The time as the present evaluation reads it; nil if the view reads none.
    var time: ExpressionInput? { clock?.input }

    private let sources: Sources

    /// The sources. The maps retain it, so it does not retain the maps.
    private final class Sources {
        var all: [any ReadSource] = []
        var isPending = false
        var isEvaluating = false
    }

    /// Reads for the view `output`. `changed` is called when a source has another value.
    init(
        _ output: Observable<JSON>, _ space: DescribedSpace, _ labels: [String], indexes: [StateIndex] = [],
        every seconds: Int? = nil, hiding hidden: HiddenParts, changed: @escaping () -> Void
    ) {
        sources = Sources()
        let sources = sources
        // Weak, because each source retains it.
        let note = { [weak sources] in
            if let sources, !sources.isEvaluating { changed() }
        }
        func reader(_ source: any ReadSource) -> @Sendable () -> ExpressionInput? {
            sources.all.append(source)
            let confined = Confined(source)
            return { confined.value.input }
        }
        func input(_ state: DescribedState, _ parts: PrivateParts?) -> @Sendable () -> ExpressionInput? {
            switch state {
            case .variable(let variable): reader(ValueSource(output, variable.hiding(parts), changed: note))
            case .table(let table): reader(RowsSource(output, table.hiding(parts), changed: note))
            }
        }
        func input(_ state: GivenState, _ parts: PrivateParts?) -> @Sendable () -> ExpressionInput? {
            switch state {
            case .variable(let values, _): reader(ValueSource(output, values.hiding(parts), changed: note))
            case .table(let rows, _): reader(RowsSource(output, rows.hiding(parts), changed: note))
            }
        }
        if !indexes.isEmpty {
            let own = FeatureIndexes(indexes, in: space).byName.mapValues { named in
                IndexSource(output, named, hiding: hidden.own[named.label], changed: note)
            }
            sources.all += own.values.map { $0 as any ReadSource }
            index = .map(LazyMap(of: ViewIndexes(own)))
        }
        if let seconds {
            let clock = ValueSource(output, space.clock.time(every: seconds), changed: note)
            sources.all.append(clock)
            self.clock = clock
        }
        state = Self.map(zip(labels, space.state).map { ($0, input($1, hidden.own[$0])) })
        given = Self.map(
            space.given.map { feature, states in
                let map = Self.map(states.map { ($0.key, input($0.value, hidden.given[feature]?[$0.key])) })
                return (feature, { map })
            })
    }

    private static func map(_ parts: [(String, @Sendable () -> ExpressionInput?)]) -> ExpressionInput {
        let names = parts.map(\.0)
        let reads = Dictionary(parts.map { ($0.0, $0.1) }, uniquingKeysWith: { first, _ in first })
        return .map(LazyMap(count: { names.count }, key: { names[$0] }, value: { reads[$0]?() }))
    }

    /// Runs an evaluation, and drops the sources that it did not read. Returns nil if a source has no value yet; then
    /// `changed` follows in the same turn.
    func evaluate(_ body: () throws -> JSON) rethrows -> JSON? {
        sources.isEvaluating = true
        for source in sources.all { source.begin() }
        defer {
            sources.isEvaluating = false
            for source in sources.all { source.end() }
        }
        do {
            let value = try body()
            return sources.all.contains { $0.isPending } ? nil : value
        } catch {
            // A failure because of a missing value is none.
            if sources.all.contains(where: { $0.isPending }) { return nil }
            throw error
        }
    }
}

/// A part of the state that a view may read.
protocol ReadSource: AnyObject {
    /// The part as an expression reads it.
    var input: ExpressionInput? { get }
    /// True if the present evaluation has read a value that has not arrived.
    var isPending: Bool { get }
    /// Begins an evaluation.
    func begin()
    /// Ends an evaluation: stops listening to what it did not read.
    func end()
}

/// A variable.
final class ValueSource: ReadSource {
    private unowned let output: Observable<JSON>
    private let values: Observable<JSON>
    private let changed: () -> Void
    private var link: Link<JSON>?
    private var value: JSON?
    private var isRead = false

    init(_ output: Observable<JSON>, _ values: Observable<JSON>, changed: @escaping () -> Void) {
        (self.output, self.values, self.changed) = (output, values, changed)
    }

    var input: ExpressionInput? {
        isRead = true
        if link == nil {
            link = output.listen(to: values) { [weak self] value in
                self?.value = value
                self?.changed()
            }
        }
        return .json(value ?? .null)
    }

    var isPending: Bool { isRead && value == nil }

    func begin() { isRead = false }

    func end() {
        guard !isRead, let link else { return }
        link.cancel()
        self.link = nil
        value = nil
    }
}
