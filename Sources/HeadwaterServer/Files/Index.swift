import Ground
import JSON
import StateStore

/// The answer to `GET /v1`: features, actions with their parameters, views.
struct Index {
    /// The features with actions or views, in the order of their registration.
    let names: [String]
    private let registry: Registry

    init(of registry: Registry) {
        names = registry.features.map(\.feature)
        self.registry = registry
    }

    /// Returns true if the program itself has a feature.
    func isOfProgram(_ name: String) -> Bool { registry.isOfProgram(name) }

    /// Returns the descriptions of the features whose names satisfy a condition.
    func features(where isWanted: (String) -> Bool) -> [JSON] { names.filter(isWanted).map(feature) }

    /// Returns the answer. The parts of documents that would make it larger than `bytesLimit` are left out.
    static func text(of registry: Registry, bytesLimit: Int) -> [UInt8] {
        let index = Index(of: registry)
        var features: [UInt8] = []
        var isFull = false
        for (place, name) in index.names.enumerated() {
            var own = isFull && !index.isOfProgram(name) ? [] : index.feature(name).written
            if !index.isOfProgram(name), isFull || features.count + own.count > bytesLimit {
                isFull = true
                own = index.leftOut(name).written
            }
            features += (place == 0 ? [] : [UInt8(ascii: ",")]) + own
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("name", "headwater")
            writer.field("version", Version.text)
            writer.field("links", links)
            writer.field("reservedParameters", ViewParameter.reservedNames)
            writer.field("features", written: [UInt8(ascii: "[")] + features + [UInt8(ascii: "]")])
        }
        return writer.bytes
    }

    private static let links: JSON = [
        "contract": "/openapi.yaml", "spaces": "/v1/spaces", "space": "/v1/spaces/{space}",
        "views": "/v1/spaces/{space}/views", "live": "/v1/live", "changes": "/v1/changes",
        "subjects": "/v1/subjects", "audit": "/v1/audit", "limits": "/v1/limits", "features": "/v1/features",
        "usage": "/v1/usage", "operations": "/v1/operations",
    ]

    private static func schema(of parameters: [ViewParameter]) -> JSON {
        var properties = JSON.Object()
        for parameter in parameters { properties[parameter.name] = parameter.schema }
        var schema = JSON.Object()
        schema["type"] = "object"
        schema["properties"] = .object(properties)
        let required = parameters.filter(\.isRequired).map { JSON.string($0.name) }
        if !required.isEmpty { schema["required"] = .array(required) }
        schema["additionalProperties"] = false
        return .object(schema)
    }

    private func home(of name: String) -> JSON {
        registry.names(of: name)?.scope == .common ? "common" : "space"
    }

    /// Returns the description of a feature without its parts.
    private func leftOut(_ name: String) -> JSON {
        [
            "name": .string(name), "home": home(of: name), "isLeftOut": true, "actions": [], "views": [],
            "variables": [],
        ]
    }

    /// Returns the hash of what is described of a feature, and of its document for clients. The rest of its document, such as
    /// its rules and private values, does not change the hash, because everybody who may read a space sees it.
    func hash(of name: String) -> String {
        var content = parts(of: name).written
        if let client = registry.client(of: name) { content += client.written }
        return Base64URL.text(Array(SHA256.digest(content).prefix(16)))
    }

    /// Returns the description of one feature.
    func feature(_ name: String) -> JSON {
        guard case .object(var members) = parts(of: name) else { return .null }
        members["hash"] = .string(hash(of: name))
        return .object(members)
    }

    private func parts(of name: String) -> JSON {
        let names = registry.names(of: name)
        return [
            "name": .string(name), "home": home(of: name),
            "actions": .array(
                (names?.actions ?? []).map { action in
                    let space = action.scope == .common ? "common" : "{space}"
                    var members = JSON.Object()
                    members["name"] = .string(action.name)
                    members["method"] = "POST"
                    members["path"] = .string("/v1/spaces/\(space)/\(name)/\(action.name)")
                    members["right"] = .string("\(Rights(toPerformIn: action.scope, defines: action.defines))")
                    members["parameters"] = action.input
                    members["result"] = action.output
                    return .object(members)
                }),
            "views": .array(
                (names?.views ?? []).map { view in
                    let short = view.name.label
                    var members: JSON.Object = JSON.Object()
                    members["name"] = .string(short)
                    members["view"] = .string("\(view.name)")
                    members["path"] = .string("/v1/spaces/{space}/\(name)/\(short)")
                    if !view.parameters.isEmpty { members["parameters"] = Self.schema(of: view.parameters) }
                    members["value"] = view.value
                    if view.isList { members["isList"] = true }
                    return .object(members)
                }),
            "variables": .array(
                (names?.variables ?? []).map { variable in
                    [
                        "name": .string(variable.name), "value": variable.value,
                        "changesByEntry": .bool(variable.changesByEntry),
                    ]
                }),
        ]
    }
}
