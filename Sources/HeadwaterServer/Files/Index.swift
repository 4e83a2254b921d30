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
                "views": "/v1/spaces/{space}/views", "live": "/v1/live",
            ],
            "features": .array(names.map { feature(registry, $0) }),
        ]
    }

    private static func feature(_ registry: Registry, _ name: String) -> JSON {
        let actions = registry.actions.filter { $0.feature == name }
        let views = registry.views.filter { $0.feature == name }
        let executor = (actions.first?.scope ?? views.first?.scope) == .common ? "common" : "space"
        return [
            "name": .string(name), "executor": .string(executor),
            "actions": .array(
                actions.map { action in
                    let space = action.scope == .common ? "common" : "{space}"
                    return [
                        "name": .string(action.name), "method": "POST",
                        "path": .string("/v1/spaces/\(space)/\(name)/\(action.name)"),
                        "right": .string(action.scope == .common ? "admin" : "act"), "parameters": action.input,
                    ]
                }),
            "views": .array(
                views.map { view in
                    let short = String(view.name.dropFirst(name.count + 1))
                    return [
                        "name": .string(short), "view": .string(view.name),
                        "path": .string("/v1/spaces/{space}/\(name)/\(short)"),
                        "value": view.value,
                    ]
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
