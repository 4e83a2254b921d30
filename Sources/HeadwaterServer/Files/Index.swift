import JSON
import StateStore

/// The answer to `GET /v1`: features, actions with their parameters, views.
enum Index {
    static func json(of registry: Registry) -> JSON {
        var names: [String] = []
        for name in registry.actions.map(\.feature) + registry.views.map(\.feature) where !names.contains(name) {
            names.append(name)
        }
        return [
            "name": "headwater", "version": .string(Version.text),
            "links": [
                "contract": "/openapi.yaml", "spaces": "/v1/spaces", "space": "/v1/spaces/{space}",
                "views": "/v1/spaces/{space}/views", "live": "/v1/live", "changes": "/v1/changes",
                "subjects": "/v1/subjects", "audit": "/v1/audit", "limits": "/v1/limits",
                "features": "/v1/features",
            ],
            "reservedParameters": .array(ViewParameter.reservedNames.map { .string($0) }),
            "features": .array(names.map { feature(registry, $0) }),
        ]
    }

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

    /// The description of one feature.
    static func feature(_ registry: Registry, _ name: String) -> JSON {
        let actions = registry.actions.filter { $0.feature == name }
        let views = registry.views.filter { $0.feature == name }
        let home = (actions.first?.scope ?? views.first?.scope) == .common ? "common" : "space"
        return [
            "name": .string(name), "home": .string(home),
            "actions": .array(
                actions.map { action in
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
                views.map { view in
                    let short = String(view.name.dropFirst(name.count + 1))
                    var members: JSON.Object = JSON.Object()
                    members["name"] = .string(short)
                    members["view"] = .string(view.name)
                    members["path"] = .string("/v1/spaces/{space}/\(name)/\(short)")
                    if !view.parameters.isEmpty { members["parameters"] = schema(of: view.parameters) }
                    members["value"] = view.value
                    if view.isList { members["isList"] = true }
                    return .object(members)
                }),
            "variables": .array(
                registry.variables.filter { $0.name.hasPrefix("\(name).") }.map { variable in
                    [
                        "name": .string(variable.name), "value": variable.value,
                        "changesByEntry": .bool(variable.changesByEntry),
                    ]
                }),
        ]
    }
}
