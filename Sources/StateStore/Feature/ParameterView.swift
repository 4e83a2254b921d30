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
    private let make: (Parameters) -> Observable<Value>

    /// A view whose observable for some parameters is the one that `make` returns.
    public init(_ make: @escaping (Parameters) -> Observable<Value>) {
        self.make = make
    }
}

extension ParameterView: StoredView {
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
        // Without the required parameters there is no instance.
        guard let parameters = try? Parameters(parsing: Array("{}".utf8)) else { return nil }
        return make(parameters)
    }

    // The operators of the view are the same for all parameters.
    var exemplar: (any View)? { make(Parameters.shape.blank()) }

    func view(of instance: ViewForm.Instance, named view: String, _ key: DigestKey) throws(JSONError) -> any View {
        let observable = make(try Parameters(parsing: try instance.parameters.json()))
        return instance.window.map { observable.windowed($0, of: view, key) } ?? observable
    }
}
