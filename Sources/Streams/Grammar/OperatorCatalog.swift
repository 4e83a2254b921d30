/// The operators that a definition can use.
struct OperatorCatalog: Sendable {
    /// The name of each operator, once.
    let names: [String]
    private let byName: [String: [OperatorForm]]

    /// A catalog of forms. Precondition: the forms of one operator are neighbours.
    init(_ forms: [OperatorForm]) {
        names = forms.map(\.name).reduce(into: []) { names, name in
            if names.last != name { names.append(name) }
        }
        byName = Dictionary(grouping: forms, by: \.name)
    }

    /// Returns the forms of an operator; none if there is no such operator.
    subscript(name: String) -> [OperatorForm] { byName[name] ?? [] }
}
