public import JSON
public import Reactive

/// A view that only some callers read.
///
///     secret = GuardedView(vault.secret.map { $0 }, allow: members)
///
/// The rule holds beside that of the feature, if the view model stores one.
public final class GuardedView<Value: JSONWritable & SchemaProviding> {
    private let observable: Observable<Value>
    let rule: ReadRule?

    /// A view with a rule.
    public init(_ view: Observable<Value>, allow rule: ReadRule) {
        observable = view
        self.rule = rule
    }
}

extension GuardedView: TypedView {
    static var valueSchema: JSON { Value.schema }
    static var isList: Bool { Value.self is any ListValue.Type }
    static var parameters: (schema: JSON, defaults: JSON)? { nil }
    static func normalized(_ parameters: JSON) throws(JSONError) -> JSON { parameters }

    var view: (any View)? { observable }

    func view(of instance: ViewForm.Instance, named view: String, _ key: DigestKey) throws(JSONError) -> any View {
        try observable.view(of: instance, named: view, key)
    }
}
