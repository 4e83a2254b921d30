public import JSON
public import Reactive

/// A view with parameters: one observable for each parameters that a client reads or watches.
///
///     struct BoardViewModel: ViewModel {
///         let card: ParameterView<CardReference, Card?>
///
///         init(_ board: BoardState) {
///             card = ParameterView { input in board.cards.row(input.id) }
///         }
///     }
///
/// All who watch the same parameters share one observable. The store makes it for the first, and releases it after the
/// last. A record of parameters has strings, integers, numbers, booleans and enums only.
public final class ParameterView<Parameters: Record, Value: JSONWritable & SchemaProviding> {
    private let make: (Parameters, Viewer) -> Observable<Value>
    let claims: ClaimSet?
    let rule: ReadRule?

    /// A view whose observable for some parameters is the one that `make` returns.
    public init(_ make: @escaping (Parameters) -> Observable<Value>) {
        self.make = { parameters, _ in make(parameters) }
        claims = nil
        rule = nil
    }

    /// A view for the callers that a rule allows. The rule reads some claims of the caller; nil for all of them.
    public init(
        reading claims: [String]? = nil, allow: @escaping (Parameters, Viewer) -> Observable<Bool>,
        _ make: @escaping (Parameters) -> Observable<Value>
    ) {
        self.make = { parameters, _ in make(parameters) }
        self.claims = nil
        rule = Self.rule(reading: claims, allow)
    }

    /// A view that has a value of its own for each values of some claims, for the callers that a rule allows.
    public init(
        personal claims: [String], allow: ((Parameters, Viewer) -> Observable<Bool>)? = nil,
        _ make: @escaping (Parameters, Viewer) -> Observable<Value>
    ) {
        self.make = make
        self.claims = ClaimSet(names: claims)
        rule = allow.map { Self.rule(reading: nil, $0) }
    }

    private static func rule(
        reading claims: [String]?, _ allow: @escaping (Parameters, Viewer) -> Observable<Bool>
    ) -> ReadRule {
        ReadRule(reading: claims) { viewer, parameters in
            // The form of the view has read the same parameters by the same code.
            guard let parameters = try? Parameters(parsing: try parameters.json()) else { return .just(false) }
            return allow(parameters, viewer)
        }
    }
}

/// A list with parameters: the type of a `ParameterView` whose values are lists of rows.
///
///     struct BoardViewModel: ViewModel {
///         let inColumn: ParameterList<Column, String, Card>
///
///         init(_ board: BoardState) {
///             inColumn = ParameterView { input in board.cards.filter { $1.column == input.name }.sorted() }
///         }
///     }
public typealias ParameterList<Parameters: Record, Key: Hashable, Row: Equatable & JSONWritable & SchemaProviding> =
    ParameterView<Parameters, RowList<Key, Row>>

@available(*, unavailable, message: "the values of a list are a RowList: write ParameterList<Parameters, Key, Row>")
extension OrderedRows: JSONWritable {
    /// Unavailable.
    public func write(to writer: inout JSONWriter) {}
}

@available(*, unavailable, message: "the values of a list are a RowList: write ParameterList<Parameters, Key, Row>")
extension OrderedRows: SchemaProviding {
    /// Unavailable.
    public typealias Received = [Row]
    /// Unavailable.
    public static var schema: JSON { [:] }
}

extension ParameterView: TypedView {
    static var valueSchema: JSON { Value.schema }
    static var isList: Bool { Value.self is any ListValue.Type }

    static var parameters: (schema: JSON, defaults: JSON)? {
        // A default that JSON cannot say, as a number that is not finite, is not listed.
        (Parameters.schema, (try? Parameters.shape.tree(of: Parameters.shape.blank())) ?? [:])
    }

    static func normalized(_ parameters: JSON) throws(JSONError) -> JSON {
        try Parameters(parsing: try parameters.json()).tree()
    }

    var view: (any View)? {
        claims == nil ? plain : nil
    }

    func exemplar() -> (any View)? {
        make(Parameters.shape.blank(), Viewer(.nobody, in: .common))
    }

    /// The view for the defaults of all parameters; nil if some are required.
    private var plain: (any View)? {
        guard let parameters = try? Parameters(parsing: Array("{}".utf8)) else { return nil }
        return make(parameters, Viewer(.nobody, in: .common))
    }

    func view(of instance: ViewForm.Instance, named view: String, _ key: DigestKey) throws(JSONError) -> any View {
        try self.view(of: instance, for: Viewer(.nobody, in: .common), named: view, key)
    }

    func view(
        of instance: ViewForm.Instance, for viewer: Viewer, named view: String, _ key: DigestKey
    ) throws(JSONError) -> any View {
        let observable = make(try Parameters(parsing: try instance.parameters.json()), viewer)
        return instance.window.map { observable.windowed($0, of: view, key) } ?? observable
    }
}
