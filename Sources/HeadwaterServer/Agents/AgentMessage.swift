import Ground
import HTTP
import JSON
import StateStore

/// A message of a client that speaks the Model Context Protocol: a request or a notification of JSON-RPC.
struct AgentMessage {
    /// The versions that begin with `initialize`, the newest first.
    static let handshakeVersions = ["2025-11-25", "2025-06-18", "2025-03-26"]
    /// The version whose requests stand alone: each names its version, and there are no sessions.
    static let modernVersion = "2026-07-28"
    static let versions = [modernVersion] + handshakeVersions

    /// The key of a request's version in `_meta`.
    static let versionKey = "io.modelcontextprotocol/protocolVersion"
    private static let capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
    /// The methods whose `Mcp-Name` repeats a parameter.
    private static let named = ["tools/call": "name", "resources/read": "uri", "prompts/get": "name"]

    /// The id of a request; nil for a notification.
    let id: JSON?
    let method: String
    let params: JSON.Object
    /// True for a request that stands alone.
    let isModern: Bool

    /// The fields of the request that repeat parts of its message.
    struct RoutingFields {
        var version: String?
        var method: String?
        var name: String?

        init(version: String? = nil, method: String? = nil, name: String? = nil) {
            (self.version, self.method, self.name) = (version, method, name)
        }

        init(_ request: borrowing Request) {
            version = request.field(.agentVersion)
            method = request.field(.agentMethod)
            name = request.field(.agentName)
        }
    }

    /// Reads a message. A response of the client has no method, and is nil.
    static func read(_ body: [UInt8], _ fields: RoutingFields) throws(AgentFault) -> AgentMessage? {
        let json: JSON
        do throws(JSONError) {
            json = try JSON(parsing: body)
        } catch {
            throw AgentFault(.parseError, "the body is not JSON: \(error)")
        }
        guard case .object(let object) = json, object["jsonrpc"] == "2.0" else {
            throw AgentFault(.invalidRequest, "the body is one message of JSON-RPC 2.0, not a list")
        }
        let id = object["id"]
        switch id {
        case nil, .string?, .number?: break
        default: throw AgentFault(.invalidRequest, "id is a text or a number")
        }
        guard let name = object["method"] else {
            guard object["result"] != nil || object["error"] != nil else {
                throw AgentFault(.invalidRequest, "the message has no method", id: id)
            }
            return nil
        }
        guard case .string(let method) = name else {
            throw AgentFault(.invalidRequest, "method is a text", id: id)
        }
        let params: JSON.Object
        switch object["params"] {
        case nil: params = JSON.Object()
        case .object(let members)?: params = members
        default: throw AgentFault(.invalidParams, "params is an object", id: id)
        }
        let message = AgentMessage(
            id: id, method: method, params: params, isModern: isModern(method, params, fields.version))
        if message.isModern { try message.check(fields) }
        return message
    }

    /// Returns true if a message belongs to a version without `initialize`, also to one that is not known.
    private static func isModern(_ method: String, _ params: JSON.Object, _ version: String?) -> Bool {
        if method == "initialize" { return false }
        if let version { return !handshakeVersions.contains(version) && version != "2024-11-05" }
        return params["_meta"]?[versionKey] != nil
    }

    /// Checks that the fields repeat the message, so that whoever routes by them is not deceived.
    private func check(_ fields: RoutingFields) throws(AgentFault) {
        guard id != nil else { return try checkVersion(fields.version ?? "") }
        guard case .object(let meta)? = params["_meta"], case .string(let version)? = meta[Self.versionKey],
            case .object? = meta[Self.capabilitiesKey]
        else {
            throw AgentFault(
                .invalidParams, "params._meta has \(Self.versionKey), a text, and \(Self.capabilitiesKey), an object",
                id: id)
        }
        guard fields.version == version else {
            throw AgentFault(.headerMismatch, "MCP-Protocol-Version differs from the version in params._meta", id: id)
        }
        guard fields.method == method else {
            throw AgentFault(.headerMismatch, "Mcp-Method differs from method", id: id)
        }
        if let key = Self.named[method], case .string(let value)? = params[key],
            fields.name.flatMap(Self.decoded) != value
        {
            throw AgentFault(.headerMismatch, "Mcp-Name differs from params.\(key)", id: id)
        }
        try checkVersion(version)
    }

    private func checkVersion(_ version: String) throws(AgentFault) {
        guard version != Self.modernVersion else { return }
        throw AgentFault(
            .unsupportedVersion, "this server does not speak the version \(version.excerpt)",
            data: ["supported": .array(Self.versions.map { .string($0) }), "requested": .string(version.excerpt)],
            id: id)
    }

    /// Returns the text of a field, which is in base64 between marks if it is not visible ASCII.
    private static func decoded(_ text: String) -> String? {
        let (start, end) = ("=?base64?", "?=")
        guard text.hasPrefix(start), text.hasSuffix(end), text.utf8.count >= start.utf8.count + end.utf8.count else {
            return text
        }
        let payload = text.dropFirst(start.count).dropLast(end.count)
        let urlSafe = String(payload.prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
        return Base64URL.bytes(urlSafe).flatMap { String(validating: $0, as: UTF8.self) }
    }

    // MARK: Parameters

    /// Returns a parameter that is a text.
    func text(_ name: String) throws(AgentFault) -> String {
        guard case .string(let text)? = params[name] else {
            throw AgentFault(.invalidParams, "params.\(name) is a text", id: id)
        }
        return text
    }

    /// The place at which a list continues.
    var cursor: Int {
        get throws(AgentFault) {
            switch params["cursor"] {
            case nil, .null?: return 0
            case .string(let text)?:
                guard text.utf8.count < 10, let place = Int(text), place >= 0 else { fallthrough }
                return place
            default: throw AgentFault(.invalidParams, "params.cursor is the nextCursor of a list", id: id)
            }
        }
    }

    // MARK: Answers

    /// Returns the answer with a result.
    func answer(_ result: JSON.Object) -> [UInt8] {
        var members = result
        if isModern { members["resultType"] = "complete" }
        return Self.written(["jsonrpc": "2.0", "id": id ?? .null, "result": .object(members)])
    }

    /// Returns the answer with a result that depends on the caller, and that can change at any time.
    func answer(cacheable result: JSON.Object) -> [UInt8] {
        var members = result
        if isModern {
            members["ttlMs"] = 0
            members["cacheScope"] = "private"
        }
        return answer(members)
    }

    /// Returns a notification.
    static func notification(_ method: String, _ params: JSON.Object) -> [UInt8] {
        written(["jsonrpc": "2.0", "method": .string(method), "params": .object(params)])
    }

    static func written(_ json: JSON) -> [UInt8] { json.written }
}

/// A fault of a message, as JSON-RPC tells it.
struct AgentFault: Error {
    /// The codes of JSON-RPC, and those of the Model Context Protocol.
    enum Code: Int {
        case parseError = -32_700
        case invalidRequest = -32_600
        case methodNotFound = -32_601
        case invalidParams = -32_602
        case resourceNotFound = -32_002
        case refused = -32_000
        case headerMismatch = -32_020
        case unsupportedVersion = -32_022
    }

    let code: Code
    let message: String
    let data: JSON?
    let id: JSON?

    init(_ code: Code, _ message: String, data: JSON? = nil, id: JSON? = nil) {
        (self.code, self.message, self.data, self.id) = (code, message, data, id)
    }

    /// The status of the answer. Older clients read the message only with 200.
    func status(isModern: Bool) -> Int {
        switch code {
        case .parseError, .invalidRequest, .headerMismatch, .unsupportedVersion: 400
        case .invalidParams: isModern ? 400 : 200
        case .methodNotFound: isModern ? 404 : 200
        case .resourceNotFound, .refused: 200
        }
    }

    /// The answer to the message.
    var bytes: [UInt8] {
        var error = JSON.Object()
        error["code"] = .number(Decimal(code.rawValue))
        error["message"] = .string(message.excerpt(1_000))
        error["data"] = data
        return AgentMessage.written(["jsonrpc": "2.0", "id": id ?? .null, "error": .object(error)])
    }
}
