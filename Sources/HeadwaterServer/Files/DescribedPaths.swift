package import JSON

/// The paths of actions and views, made from `/v1` and the existing texts.
package struct DescribedPaths {
    /// The paths, each with its operations as OpenAPI describes them.
    package private(set) var paths = JSON.Object()
    /// The schemas to which they refer, by name.
    package var schemas: JSON.Object { types.components }
    private var types: ContractTypes
    private let words: JSON

    /// The paths of features as an index has them, with the summaries, descriptions and examples of `words`. Their
    /// schemas have names besides those of others.
    package init(of features: [JSON], words: JSON = [:], besides names: Set<String> = []) {
        self.words = words
        types = ContractTypes(besides: names)
        for feature in features {
            for action in Self.elements(feature["actions"]) { add(action: action, of: feature) }
            for view in Self.elements(feature["views"]) { add(view: view, of: feature) }
        }
    }

    private static func elements(_ value: JSON?) -> [JSON] {
        if case .array(let elements)? = value { elements } else { [] }
    }

    private static func text(_ value: JSON?) -> String {
        if case .string(let text)? = value { text } else { "" }
    }

    private static func reference(_ kind: String, _ name: String) -> JSON {
        ["$ref": .string("#/components/\(kind)/\(name)")]
    }

    private static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    private static func responses(_ names: [(String, String)]) -> JSON.Object {
        var responses = JSON.Object()
        for (status, name) in names { responses[status] = reference("responses", name) }
        return responses
    }

    private static let readingParameters = [
        "At", "Definition", "Since", "Wait", "Events", "LastEventIdParameter", "AtLeast", "Progress", "Presence", "As",
        "With", "Delta", "IfNoneMatch", "Prefer", "AIM", "LastEventId",
    ]
    private static let refusals = [
        ("400", "BadRequest"), ("401", "Unauthorized"), ("403", "Forbidden"), ("404", "NotFound"),
    ]
    private static let failures = [
        ("429", "TooMany"), ("500", "Failed"), ("503", "Unavailable"), ("507", "SpaceTooLarge"),
        ("default", "Problem"),
    ]

    /// Returns the first members of an operation: its ids and its existing texts, or `summary`.
    private func head(_ path: String, _ method: String, _ id: String, _ feature: String, summary: String) -> JSON.Object
    {
        var operation = JSON.Object()
        operation["operationId"] = .string(id)
        operation["tags"] = [.string(feature)]
        operation["summary"] = words[path]?[method]?["summary"] ?? .string(summary)
        operation["description"] = words[path]?[method]?["description"]
        return operation
    }

    /// Adds an operation to a path that can have others.
    private mutating func put(_ operation: JSON.Object, _ method: String, at path: String) {
        var item = JSON.Object()
        if path.contains("{space}") { item["parameters"] = [Self.reference("parameters", "Space")] }
        if case .object(let other)? = paths[path] { item = other }
        item[method] = .object(operation)
        paths[path] = .object(item)
    }

    private mutating func add(action: JSON, of feature: JSON) {
        let (path, name) = (Self.text(action["path"]), Self.text(feature["name"]))
        let actionName = Self.text(action["name"])
        var operation = head(
            path, "post", "\(name)\(Self.capitalized(actionName))", name, summary: "Performs \(name)/\(actionName)")
        operation["parameters"] = .array(
            ["View", "Rehearse", "IfMatch", "IdempotencyKey", "Queue", "Document", "ClientTime"].map {
                Self.reference("parameters", $0)
            })
        var content = JSON.Object()
        let place = TypePlace(name, actionName)
        content["schema"] = types.type(of: action["parameters"]?.withoutTitle ?? [:], at: place.asInput)
        content["examples"] = words[path]?["post"]?["requestBody"]?["content"]?["application/json"]?["examples"]
        operation["requestBody"] = [
            "required": .bool(action["parameters"]?["required"] != nil),
            "content": ["application/json": .object(content)],
        ]
        var responses = Self.responses(
            [("200", "Performed")] + Self.refusals
                + [
                    ("409", "Conflict"), ("412", "Changed"), ("413", "TooLarge"), ("415", "NotJSONType"),
                    ("422", "Invalid"),
                ]
                + Self.failures)
        if let result = action["result"], result != .null {
            responses["200"] = performed(result, at: place)
        }
        operation["responses"] = .object(responses)
        put(operation, "post", at: path)
    }

    /// Returns the answer of an action that answers a value of its own.
    private mutating func performed(_ result: JSON, at place: TypePlace) -> JSON {
        let value = types.type(of: result, at: place.adding("Result"))
        let schema = types.add(
            [
                "allOf": [
                    Self.reference("schemas", "Performed"), ["type": "object", "properties": ["result": value]],
                ]
            ], named: place.adding("Performed").qualified)
        return [
            "description": "The action was performed, and its commit has the configured durability.",
            "headers": Self.headers(["X-Request-Id", "ETag", "Idempotency-Replayed"]),
            "content": ["application/json": ["schema": schema]],
        ]
    }

    private static func headers(_ names: [String]) -> JSON {
        var headers = JSON.Object()
        for name in names { headers[name] = reference("headers", name) }
        return .object(headers)
    }

    /// Returns the query parameters of a view.
    private static func parameters(of view: JSON) -> [JSON] {
        guard case .object(let properties)? = view["parameters"]?["properties"] else { return [] }
        let required = elements(view["parameters"]?["required"])
        return properties.map { property in
            var parameter = JSON.Object()
            parameter["name"] = .string(property.key)
            parameter["in"] = "query"
            if required.contains(.string(property.key)) { parameter["required"] = true }
            parameter["schema"] = property.value
            return .object(parameter)
        }
    }

    private mutating func add(view: JSON, of feature: JSON) {
        let (path, name) = (Self.text(view["path"]), Self.text(feature["name"]))
        let viewName = Self.text(view["name"])
        let id = "get\(Self.capitalized(name))\(Self.capitalized(viewName))"
        let place = TypePlace(name, viewName)
        let value = types.type(of: view["value"] ?? [:], at: place)
        let isList = view["isList"] == true
        put(
            head(path, "get", id, name, summary: "The view \(name).\(viewName)"), reading: view, value, isList: isList,
            at: path)
        guard isList else { return }
        let window = types.add(
            [
                "type": "object",
                "properties": [
                    "items": value,
                    "next": [
                        "type": ["string", "null"],
                        "description": "The `after` of the next window; null if no item follows.",
                    ],
                    "total": ["type": "integer", "minimum": 0],
                ],
                "required": ["items", "next"],
            ], named: place.adding("Window").qualified)
        let windowPath = path + "/window"
        put(
            head(windowPath, "get", id + "Window", name, summary: "A window of the list \(name).\(viewName)"),
            reading: view, window, isList: true, at: windowPath)
    }

    /// Adds the reading of a view, with the schema of its value.
    private mutating func put(
        _ head: JSON.Object, reading view: JSON, _ schema: JSON, isList: Bool, at path: String
    ) {
        var operation = head
        var parameters = Self.parameters(of: view)
        if isList {
            parameters += ["WindowLimit", "WindowAfter", "WindowTotal"].map { Self.reference("parameters", $0) }
        }
        operation["parameters"] = .array(
            parameters + Self.readingParameters.map { Self.reference("parameters", $0) })
        var content = JSON.Object()
        content["schema"] = schema
        content["example"] = words[path]?["get"]?["responses"]?["200"]?["content"]?["application/json"]?["example"]
        var forms: JSON.Object = JSON.Object()
        forms["application/json"] = .object(content)
        forms["text/event-stream"] = ["schema": Self.reference("schemas", "Events")]
        if isList {
            forms["text/csv"] = ["schema": Self.reference("schemas", "ListRows")]
            forms["application/x-ndjson"] = ["schema": Self.reference("schemas", "ListLines")]
        }
        var responses = JSON.Object()
        responses["200"] = [
            "description": "The value.", "headers": Self.headers(["X-Request-Id", "ETag", "Preference-Applied"]),
            "content": .object(forms),
        ]
        let others = Self.responses(
            [("226", "Patched"), ("304", "NotModified")] + Self.refusals + [
                ("406", "NotAcceptable"), ("410", "Gone"), ("422", "Invalid"),
            ] + Self.failures)
        for response in others { responses[response.key] = response.value }
        operation["responses"] = .object(responses)
        put(operation, "get", at: path)
    }
}

extension JSON {
    /// The schema without its title: the input of an action is called after the action.
    fileprivate var withoutTitle: JSON {
        guard case .object(var object) = self else { return self }
        object["title"] = nil
        return .object(object)
    }
}
