import JSON
import Reactive

/// A property of a view model that is a view, or one view for each parameters.
protocol StoredView: AnyObject {
    /// The view itself; nil if it has required parameters.
    var view: (any View)? { get }
    /// The view for the parameters and the window of an instance. `view` is the name of the view.
    func view(of instance: ViewForm.Instance, named view: String, _ key: DigestKey) throws(JSONError) -> any View
    /// The rule of the view; nil if it has none of its own.
    var rule: ReadRule? { get }
    /// The claims that the view reads; nil if it is the same for all callers.
    var claims: ClaimSet? { get }
    /// The view for a viewer, if it reads claims.
    func view(
        of instance: ViewForm.Instance, for viewer: Viewer, named view: String, _ key: DigestKey
    ) throws(JSONError) -> any View
    /// The view, or that of some viewer, for the inspection of its operators; nil if it has required parameters.
    func exemplar() -> (any View)?
}

extension StoredView {
    var rule: ReadRule? { nil }
    var claims: ClaimSet? { nil }

    func view(
        of instance: ViewForm.Instance, for viewer: Viewer, named view: String, _ key: DigestKey
    ) throws(JSONError) -> any View {
        try self.view(of: instance, named: view, key)
    }

    func exemplar() -> (any View)? { view }
}

/// A stored view whose type says what its values and its parameters are.
protocol TypedView: StoredView {
    /// The schema of the values.
    static var valueSchema: JSON { get }
    /// True if the values are lists.
    static var isList: Bool { get }
    /// The schema of the parameters, and their defaults; nil for a view without parameters.
    static var parameters: (schema: JSON, defaults: JSON)? { get }
    /// Reads parameters, and returns them with all defaults.
    static func normalized(_ parameters: JSON) throws(JSONError) -> JSON
}

extension ViewForm {
    /// The form of a stored view, or the name of a parameter that it cannot have, with the reason.
    static func make(_ name: String, _ type: any TypedView.Type) throws(RegistrationFault) -> ViewForm {
        ViewForm(
            name: ViewKey(name),
            parameters: try type.parameters.map { described throws(RegistrationFault) in
                try parameters(of: name, described.schema, described.defaults)
            } ?? [], isList: type.isList,
            normalize: { parameters throws(JSONError) in try type.normalized(parameters) })
    }

    static func parameters(
        of view: String, _ schema: JSON, _ defaults: JSON
    ) throws(RegistrationFault) -> [ViewParameter] {
        guard case .object(let properties)? = schema["properties"], !properties.isEmpty else {
            throw RegistrationFault("\(view) is a ParameterView without parameters: store its Observable")
        }
        var required: [JSON] = []
        if case .array(let names)? = schema["required"] { required = names }
        var parameters: [ViewParameter] = []
        for property in properties {
            let name = property.key
            guard !ViewParameter.reservedNames.contains(name) else {
                throw RegistrationFault(
                    "\(view) cannot have a parameter called \"\(name)\": a request uses that name otherwise")
            }
            guard Registry.isName(name) else {
                throw RegistrationFault("\(view) cannot have a parameter called \"\(name)\": \(Registry.naming)")
            }
            guard PrivateParts.places(in: property.value).isEmpty else {
                throw RegistrationFault("\(view)'s parameter \(name) is part of the path, so it cannot be private")
            }
            let isRequired = required.contains(.string(name))
            guard
                let parameter = ViewParameter(
                    name, property.value, isRequired: isRequired,
                    fallback: isRequired ? .null : defaults[name] ?? .null)
            else {
                throw RegistrationFault(
                    "\(view)'s parameter \(name) is none that a query can hold: a string, an integer, a number, a boolean, or one of several"
                )
            }
            parameters.append(parameter)
        }
        return parameters
    }
}
