import Ground
import JSON
import StateStore

/// A tool for agents that is no action: it reads, explains, rehearses or deploys with a request of its own.
struct AgentTool: Sendable {
    let name: String
    /// The least right with which the tool is listed. The request checks the rights itself.
    let right: Rights
    private let words: String
    private let properties: [(name: String, schema: JSON)]
    private let required: [String]
    private let isReadOnly: Bool
    let call: @Sendable (AgentArguments) throws(AgentFault) -> AgentCall

    private init(
        _ name: String, _ right: Rights, _ words: String, _ properties: [(name: String, schema: JSON)],
        required: [String] = [], isReadOnly: Bool = true,
        _ call: @escaping @Sendable (AgentArguments) throws(AgentFault) -> AgentCall
    ) {
        self.name = "headwater_\(name)"
        (self.right, self.words, self.properties, self.required) = (right, words, properties, required)
        (self.isReadOnly, self.call) = (isReadOnly, call)
    }

    /// The description of the tool for a client whose default space is `space`.
    func description(_ space: SpaceName) -> JSON {
        var members = JSON.Object()
        for property in properties {
            var schema = property.schema
            if property.name == "space", case .object(var own) = schema {
                own["default"] = .string("\(space)")
                schema = .object(own)
            }
            members[property.name] = schema
        }
        var schema = JSON.Object()
        schema["type"] = "object"
        schema["properties"] = .object(members)
        if !required.isEmpty { schema["required"] = .array(required.map { .string($0) }) }
        schema["additionalProperties"] = false
        return [
            "name": .string(name), "description": .string(words), "inputSchema": .object(schema),
            "annotations": ["readOnlyHint": .bool(isReadOnly), "openWorldHint": false],
        ]
    }

    /// The names of its arguments.
    var arguments: [String] { properties.map(\.name) }

    static func named(_ name: String) -> AgentTool? { all.first { $0.name == name } }

    // MARK: All tools

    private static let space = (name: "space", schema: ["type": "string", "description": "The space."] as JSON)
    private static let view = (
        name: "view", schema: ["type": "string", "description": "The view, such as cart.orders."] as JSON
    )
    private static let feature = (
        name: "feature", schema: ["type": "string", "description": "The name of the feature."] as JSON
    )
    private static let document = (
        name: "document", schema: ["type": "object", "description": "The document of the feature."] as JSON
    )
    private static let rehearse = (
        name: "rehearse",
        schema: ["type": "boolean", "description": "True to see what would happen, without a change."] as JSON
    )
    private static func text(_ name: String, _ words: String) -> (name: String, schema: JSON) {
        (name, ["type": "string", "description": .string(words)])
    }
    private static func count(_ name: String, _ words: String) -> (name: String, schema: JSON) {
        (name, ["type": "integer", "minimum": 0, "description": .string(words)])
    }

    static let all: [AgentTool] = [
        AgentTool(
            "read", .read, "Reads a view of a space: now, or as of a moment of the past.",
            [
                view, space, (name: "parameters", schema: ["type": "object", "description": "The view's parameters."]),
                text("at", "A version, a tag or a time of the past."),
                count("limit", "The greatest number of elements of a list."),
                text("after", "The next of an earlier answer."),
            ], required: ["view"]
        ) { arguments throws(AgentFault) in
            let path = try arguments.viewPath()
            var query = try arguments.query("at", "limit", "after")
            if case .object(let parameters)? = try arguments.value("parameters", .object) {
                for parameter in parameters { query.append((parameter.key, AgentArguments.queryText(parameter.value))) }
            }
            return AgentCall("GET", path, query: query, member: "value")
        },
        AgentTool(
            "why", .read, "Explains a view: the commits that last changed the state it is made of, and who made them.",
            [view, space], required: ["view"]
        ) { arguments throws(AgentFault) in AgentCall("GET", try arguments.viewPath() + "/why") },
        AgentTool(
            "history", .read, "Lists the past values of a view.", [view, space, count("limit", "At most so many.")],
            required: ["view"]
        ) { arguments throws(AgentFault) in
            AgentCall(
                "GET", try arguments.viewPath() + "/history", query: try arguments.query("limit"), member: "values")
        },
        AgentTool(
            "changes", .read, "Lists the commits of a space in their order: action, input, author, changed state.",
            [space, count("since", "The version after which the list begins."), count("limit", "At most so many.")]
        ) { arguments throws(AgentFault) in
            AgentCall(
                "GET", "/v1/spaces/\(try arguments.space())/changes", query: try arguments.query("since", "limit"),
                member: "changes")
        },
        AgentTool(
            "perform", .act, "Performs several actions of a space in one commit, all or none, or rehearses them.",
            [
                space,
                (
                    name: "actions",
                    schema: [
                        "type": "array", "minItems": 1, "maxItems": 100,
                        "items": [
                            "type": "object", "required": ["name"],
                            "properties": [
                                "name": ["type": "string", "description": "The action, such as cart/order."],
                                "input": ["type": "object"],
                            ],
                        ],
                    ]
                ), rehearse, text("key", "An idempotency key."),
            ], required: ["actions"], isReadOnly: false
        ) { arguments throws(AgentFault) in
            var body = JSON.Object()
            body["actions"] = try arguments.value("actions", .array) ?? []
            return AgentCall(
                "POST", "/v1/spaces/\(try arguments.space())/actions", query: try arguments.rehearsal(),
                key: try arguments.text("key"), body: .object(body))
        },
        AgentTool(
            "spaces", .admin, "Lists the spaces, in the order of their names.",
            [
                text("after", "The next of an earlier answer."), count("limit", "At most so many."),
                text("prefix", "The beginning of their names."),
            ]
        ) { arguments throws(AgentFault) in
            AgentCall("GET", "/v1/spaces", query: try arguments.query("after", "limit", "prefix"))
        },
        AgentTool(
            "explain", .admin, "Explains why a request was refused, or slow: by the id in its X-Request-Id.",
            [text("request", "The id of the request.")], required: ["request"]
        ) { arguments throws(AgentFault) in
            AgentCall("GET", "/v1/requests/\(QueryText.encoded(try arguments.needed("request")))/why")
        },
        AgentTool(
            "features", .read, "Lists the features, or shows the document of one.", [feature]
        ) { arguments throws(AgentFault) in
            guard let name = try arguments.text("feature") else { return AgentCall("GET", "/v1/features") }
            return AgentCall("GET", "/v1/features/\(QueryText.encoded(name))")
        },
        AgentTool(
            "put_feature", .admin,
            "Deploys a feature as a document, after its checks and tests; or rehearses what it would change.",
            [feature, document, rehearse], required: ["feature", "document"], isReadOnly: false
        ) { arguments throws(AgentFault) in
            AgentCall(
                "PUT", "/v1/features/\(QueryText.encoded(try arguments.needed("feature")))",
                query: try arguments.rehearsal(), body: try arguments.value("document", .object) ?? [:])
        },
        AgentTool(
            "test_feature", .admin, "Runs the tests of a document in virtual time. Keeps nothing.", [document],
            required: ["document"]
        ) { arguments throws(AgentFault) in
            AgentCall("POST", "/v1/features:test", body: try arguments.value("document", .object) ?? [:])
        },
        AgentTool(
            "plan_feature", .admin, "Shows how views, rules and loops of a feature find their rows.", [feature],
            required: ["feature"]
        ) { arguments throws(AgentFault) in
            AgentCall("GET", "/v1/features/\(QueryText.encoded(try arguments.needed("feature")))/plan")
        },
        AgentTool(
            "delete_feature", .admin, "Removes the document of a feature; state: drop removes its state as well.",
            [feature, (name: "state", schema: ["type": "string", "enum": ["drop"]])], required: ["feature"],
            isReadOnly: false
        ) { arguments throws(AgentFault) in
            AgentCall(
                "DELETE", "/v1/features/\(QueryText.encoded(try arguments.needed("feature")))",
                query: try arguments.query("state"))
        },
    ]
}

/// The arguments of a tool's call.
struct AgentArguments {
    let members: JSON.Object
    let defaultSpace: SpaceName
    let id: JSON?

    func fault(_ words: String) -> AgentFault { AgentFault(.invalidParams, words, id: id) }

    /// Checks that all arguments have names of a tool.
    func check(_ names: [String]) throws(AgentFault) {
        for member in members where !names.contains(member.key) {
            throw fault("there is no argument \(member.key.excerpt): \(names.joined(separator: ", "))")
        }
    }

    /// Returns an argument of a kind; nil without one.
    func value(_ name: String, _ kind: JSON.Kind) throws(AgentFault) -> JSON? {
        guard let value = members[name], value != .null else { return nil }
        guard value.kind == kind else { throw fault("\(name) is of the type \(kind.rawValue)") }
        return value
    }

    /// Returns an argument that is a text; nil without one.
    func text(_ name: String) throws(AgentFault) -> String? {
        guard case .string(let text)? = try value(name, .string) else { return nil }
        return text
    }

    func needed(_ name: String) throws(AgentFault) -> String {
        guard let text = try text(name), !text.isEmpty else { throw fault("\(name) is a text that is not empty") }
        return text
    }

    /// Returns the space, by its argument or by default.
    func space(_ name: String = "space") throws(AgentFault) -> SpaceName {
        guard let text = try text(name) else { return defaultSpace }
        guard let space = SpaceName(text) else { throw fault("\(name) is no name of a space") }
        return space
    }

    /// Returns the path of the view that the arguments name.
    func viewPath() throws(AgentFault) -> String {
        let parts = try needed("view").split(whereSeparator: { $0 == "." || $0 == "/" }).map(String.init)
        guard parts.count == 2, parts.allSatisfy({ Registry.isName($0) }) else {
            throw fault("view is feature.view, such as cart.orders")
        }
        return "/v1/spaces/\(try space())/\(parts[0])/\(parts[1])"
    }

    /// Returns the arguments that the query of a request repeats.
    func query(_ names: String...) throws(AgentFault) -> [(String, String)] {
        var query: [(String, String)] = []
        for name in names {
            guard let value = members[name], value != .null else { continue }
            query.append((name, Self.queryText(value)))
        }
        return query
    }

    /// Returns the query of a rehearsal; empty for a real call.
    func rehearsal(_ name: String = "rehearse") throws(AgentFault) -> [(String, String)] {
        try value(name, .boolean) == true ? [("rehearse", "1")] : []
    }

    /// Returns a value as a query has it.
    static func queryText(_ value: JSON) -> String {
        if case .string(let text) = value { return text }
        return String(decoding: value.written, as: UTF8.self)
    }
}

/// A request that a tool sends to its own server.
struct AgentCall {
    let method: String
    let path: String
    let query: [(String, String)]
    /// The idempotency key.
    let key: String?
    let body: [UInt8]?
    /// The member that holds the answer in the structured content; nil for an answer that is an object.
    let member: String?

    init(
        _ method: String, _ path: String, query: [(String, String)] = [], key: String? = nil, body: JSON? = nil,
        member: String? = nil
    ) {
        (self.method, self.path, self.query, self.key, self.member) = (method, path, query, key, member)
        self.body = body.map(\.written)
    }

    /// The path with its query.
    var target: String {
        let pairs = query.map { "\(QueryText.encoded($0.0))=\(QueryText.encoded($0.1))" }
        return pairs.isEmpty ? path : "\(path)?\(pairs.joined(separator: "&"))"
    }

    /// Returns the call of an action's tool.
    init(
        _ action: Registry.ActionDescription, _ arguments: AgentArguments
    ) throws(AgentFault) {
        typealias Own = AgentCatalog.OwnArgument
        func name(_ own: Own) -> String { own.name(beside: action.input) }
        var input = arguments.members
        for own in Own.allCases { input[name(own)] = nil }
        let space = action.scope == .common ? .common : try arguments.space(name(.space))
        var query = try arguments.rehearsal(name(.rehearse))
        if case .array(let views)? = try arguments.value(name(.views), .array) {
            guard views.count <= 100 else { throw arguments.fault("views has at most 100 names") }
            for view in views { query.append(("view", AgentArguments.queryText(view))) }
        }
        self.init(
            "POST", "/v1/spaces/\(space)/\(action.feature)/\(action.name)", query: query,
            key: try arguments.text(name(.key)), body: .object(input))
    }

    /// Returns the request as HTTP. `fields` are those of the caller, each with its line end.
    func bytes(_ fields: String) throws(AgentFault) -> [UInt8] {
        var head = "\(method) \(target) HTTP/1.1\r\n\(fields)"
        if let key {
            guard !key.isEmpty, key.utf8.count <= 255, key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw AgentFault(.invalidParams, "key is 1 to 255 visible characters of ASCII")
            }
            head += "Idempotency-Key: \(key)\r\n"
        }
        if body != nil { head += "Content-Type: application/json\r\n" }
        head += "Connection: close\r\nContent-Length: \(body?.count ?? 0)\r\n\r\n"
        return Array(head.utf8) + (body ?? [])
    }
}
