public import JSON
public import Reactive

/// A view with a value of its own for each caller.
///
///     orders = PersonalView(reading: ["sub"]) { viewer in shop.orders.row(viewer.subject ?? "") }
///
/// All callers with the same values of the claims share one observable. The store makes it for the first of them, and
/// releases it after the last. A stream cannot have a personal view as its source.
public final class PersonalView<Value: JSONWritable & SchemaProviding> {
    private let make: (Viewer) -> Observable<Value>
    let claims: ClaimSet?
    let rule: ReadRule?

    /// A view that reads some claims of the caller, for the callers that a rule allows.
    public init(
        reading claims: [String], allow rule: ReadRule? = nil, _ make: @escaping (Viewer) -> Observable<Value>
    ) {
        self.claims = ClaimSet(names: claims)
        self.rule = rule
        self.make = make
    }
}

extension PersonalView: TypedView {
    static var valueSchema: JSON { Value.schema }
    static var isList: Bool { Value.self is any ListValue.Type }
    static var parameters: (schema: JSON, defaults: JSON)? { nil }
    static func normalized(_ parameters: JSON) throws(JSONError) -> JSON { parameters }

    // Without a viewer there is no value.
    var view: (any View)? { nil }

    func view(of instance: ViewForm.Instance, named view: String, _ key: DigestKey) throws(JSONError) -> any View {
        throw JSONError(.refused("needs a viewer"), at: 0)
    }

    func view(
        of instance: ViewForm.Instance, for viewer: Viewer, named view: String, _ key: DigestKey
    ) throws(JSONError) -> any View {
        try make(viewer).view(of: instance, named: view, key)
    }

    func exemplar() -> (any View)? { make(Viewer(.nobody, in: .common)) }
}
