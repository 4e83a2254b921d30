import JSON
import Reactive

/// A feature in one space.
final class FeatureInstance {
    let name: String
    /// Its pieces of state, by name, in the order in which the state declares them.
    let variables: [(name: String, stored: any Stored)]
    private let parts: Feature.Parts

    /// Its actions, by name; the service is made when the first is asked for.
    private(set) lazy var actions: [String: any AnyAction] = Dictionary(
        Self.children(of: parts.makeService(), as: (any AnyAction).self), uniquingKeysWith: { first, _ in first })

    /// Its views, by name; the view model is made when the first is asked for.
    private(set) lazy var views: [String: any View] = Dictionary(
        Self.children(of: parts.makeViewModel(), as: (any View).self), uniquingKeysWith: { first, _ in first })

    init(_ feature: Feature, _ parts: Feature.Parts) {
        name = feature.name
        self.parts = parts
        variables = Self.children(of: parts.state, as: (any Stored).self).map { ("\(feature.name).\($0.0)", $0.1) }
    }

    /// What a value stores under which names, as far as it is of a kind.
    static func children<Kind>(of value: Any, as kind: Kind.Type) -> [(String, Kind)] {
        Mirror(reflecting: value).children.compactMap { child in
            guard let label = child.label, let value = child.value as? Kind else { return nil }
            return (label, value)
        }
    }

    /// The names under which a value stores something that is not of a kind.
    static func strangers<Kind>(in value: Any, to kind: Kind.Type) -> [String] {
        Mirror(reflecting: value).children.compactMap { $0.value is Kind ? nil : $0.label }
    }
}
