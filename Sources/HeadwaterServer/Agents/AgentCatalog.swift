import JSON
import StateStore

/// The tools and the resources of a server for agents: its actions, its views, and what explains and rehearses them.
struct AgentCatalog {
    /// The greatest number of tools or resources in an answer.
    static let pageSize = 250

    private let registry: Registry
    private let rights: Rights
    /// The space of tools and resources that name none.
    let space: SpaceName

    init(_ registry: Registry, _ rights: Rights, _ space: SpaceName) {
        (self.registry, self.rights, self.space) = (registry, rights, space)
    }

    private static func strings(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }

    private static func object(_ properties: JSON.Object, required: [String] = []) -> JSON {
        var schema = JSON.Object()
        schema["type"] = "object"
        schema["properties"] = .object(properties)
        if !required.isEmpty { schema["required"] = strings(required) }
        schema["additionalProperties"] = false
        return .object(schema)
    }

    // MARK: Tools of actions

    /// Returns the name of the tool of an action. Names of features and actions have letters and digits only.
    static func toolName(_ feature: String, _ action: String) -> String { "\(feature)_\(action)" }

    /// Returns the action of a tool, by its name or by that of the action.
    func action(_ tool: String) -> Registry.ActionDescription? {
        let parts = tool.split(whereSeparator: { $0 == "_" || $0 == "/" || $0 == "." })
        guard parts.count == 2 else { return nil }
        return registry.names(of: String(parts[0]))?.actions.first { $0.name == parts[1] }
    }

    /// An argument of the tool of an action that is no parameter of the action.
    enum OwnArgument: String, CaseIterable {
        case space, rehearse, views, key

        /// Its name for an action, which may have a parameter of the same name.
        func name(beside input: JSON) -> String { input["properties"]?[rawValue] == nil ? rawValue : "_\(rawValue)" }
    }

    private func tool(of action: Registry.ActionDescription) -> JSON {
        var schema = JSON.Object()
        if case .object(let members) = action.input { schema = members }
        var properties = JSON.Object()
        if case .object(let members)? = schema["properties"] { properties = members }
        for argument in OwnArgument.allCases where argument != .space || action.scope == .space {
            properties[argument.name(beside: action.input)] = described(argument)
        }
        schema["type"] = "object"
        schema["properties"] = .object(properties)
        let name = "\(action.feature)/\(action.name)"
        let place = action.scope == .common ? "the space common, which all spaces share" : "one space"
        return [
            "name": .string(Self.toolName(action.feature, action.name)), "title": .string(name),
            "description": .string(
                "Performs the action \(name) in \(place), all or nothing. A refusal is an error with a problem: "
                    + "type, detail, pointer to the faulty argument, allowed values. It changes nothing. "
                    + "rehearse: true performs everything but the commit."),
            "inputSchema": .object(schema), "outputSchema": Self.answerSchema(action.output),
            "annotations": ["title": .string(name), "readOnlyHint": false, "openWorldHint": false],
        ]
    }

    private func described(_ argument: OwnArgument) -> JSON {
        switch argument {
        case .space:
            [
                "type": "string", "default": .string("\(space)"),
                "description": "The space. Spaces are independent, and begin with their first action.",
            ]
        case .rehearse:
            ["type": "boolean", "default": false, "description": "True to perform everything but the commit."]
        case .views:
            [
                "type": "array", "items": ["type": "string"], "maxItems": 100,
                "description": "Views that the answer shows as of this commit, such as cart.orders.",
            ]
        case .key:
            [
                "type": "string", "minLength": 1, "maxLength": 255,
                "description": "An idempotency key: the same key performs the action once within 24 hours.",
            ]
        }
    }

    private static func answerSchema(_ result: JSON?) -> JSON {
        var properties: JSON.Object = JSON.Object()
        properties["space"] = ["type": "string"]
        properties["version"] = ["type": "integer", "description": "The version of the space with the commit."]
        properties["changed"] = [
            "type": ["array", "object"], "description": "The changed state; in a rehearsal with the new values.",
        ]
        if let result { properties["result"] = result }
        properties["views"] = ["type": "object"]
        return ["type": "object", "properties": .object(properties)]
    }

    // MARK: Lists

    /// Returns the tools from a place on, and the place of the next ones.
    func tools(from place: Int) -> (tools: [JSON], next: Int?) {
        let actions = rights.contains(.act) ? registry.actions.filter { !$0.defines || rights.contains(.define) } : []
        let own = AgentTool.all.filter { rights.contains($0.right) }
        return page(from: place, own.count + actions.count) {
            $0 < own.count ? own[$0].description(space) : tool(of: actions[$0 - own.count])
        }
    }

    /// Returns the resources from a place on: the views of the space, and the documents for administrators.
    func resources(from place: Int) -> (resources: [JSON], next: Int?) {
        let views = registry.views.filter { view in
            (view.scope == .space || space == .common) && !view.parameters.contains { $0.isRequired }
        }
        return page(from: place, views.count) { resource(of: views[$0]) }
    }

    /// Returns the templates of resources from a place on: each view in any space, with its parameters.
    func templates(from place: Int) -> (templates: [JSON], next: Int?) {
        let views = registry.views
        return page(from: place, views.count + 1) { $0 == 0 ? Self.documents : template(of: views[$0 - 1]) }
    }

    private func page(from place: Int, _ count: Int, _ element: (Int) -> JSON) -> ([JSON], Int?) {
        let end = min(count, place + Self.pageSize)
        return (place < end ? (place..<end).map(element) : [], end < count ? end : nil)
    }

    private func resource(of view: Registry.ViewDescription) -> JSON {
        [
            "uri": .string(AgentURI.view(view.name, in: space).text), "name": .string("\(view.name)"),
            "description": .string("The view \(view.name) of the space \(space)."), "mimeType": "application/json",
        ]
    }

    private func template(of view: Registry.ViewDescription) -> JSON {
        let own = view.parameters.map(\.name) + (view.isList ? ["limit", "after"] : [])
        let query = own.isEmpty ? "" : "{?\(own.joined(separator: ","))}"
        let path = "\(view.feature)/\(view.name.label)"
        return [
            "uriTemplate": .string("\(AgentURI.spaces){space}/\(path)\(query)"), "name": .string("\(view.name)"),
            "description": .string("The view \(view.name) of a space."), "mimeType": "application/json",
        ]
    }

    private static let documents: JSON = [
        "uriTemplate": .string("\(AgentURI.features){feature}"), "name": "feature",
        "description": "A feature as its document, for administrators.", "mimeType": "application/json",
    ]
}

/// The address of a resource: a view of a space, or a feature.
enum AgentURI {
    static let spaces = "headwater://spaces/"
    static let features = "headwater://features/"

    /// A view, as `feature.view?name=value`, in a space.
    case view(ViewKey, in: SpaceName)
    case feature(String)

    /// Reads an address; nil if it is none of this server.
    init?(_ text: String) {
        if text.hasPrefix(Self.features) {
            let name = String(text.dropFirst(Self.features.count))
            guard Registry.isName(name) else { return nil }
            self = .feature(name)
            return
        }
        guard text.hasPrefix(Self.spaces), text.utf8.count <= 4_096 else { return nil }
        let rest = text.dropFirst(Self.spaces.count)
        let path = rest.prefix { $0 != "?" }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let space = SpaceName(String(parts[0])),
            parts[1...].allSatisfy({ Registry.isName(String($0)) })
        else { return nil }
        // The query goes into a request line.
        let query = rest.dropFirst(path.count)
        guard query.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else { return nil }
        self = .view(ViewKey("\(parts[1]).\(parts[2])\(query)"), in: space)
    }

    var text: String {
        switch self {
        case .view(let name, let space): "\(Self.spaces)\(space)/\(Self.path(name))"
        case .feature(let name): "\(Self.features)\(name)"
        }
    }

    /// The path that answers with the resource.
    var target: String {
        switch self {
        case .view(let name, let space): "/v1/spaces/\(space)/\(Self.path(name))"
        case .feature(let name): "/v1/features/\(name)"
        }
    }

    private static func path(_ view: ViewKey) -> String { "\(view.feature)/\(view.openLabel)" }
}
