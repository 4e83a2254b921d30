package import HTTP
package import JSON

/// A generator of connections: valid requests of every path with every field, most of which are then corrupted.
package struct RequestGenerator {
    private let actions: [(path: String, parameters: JSON)]
    private let views: [(path: String, name: String)]
    private let paths: [String]
    /// The operations of each path, with the schema of the JSON that they take.
    private var operations: [String: [(method: String, schema: JSON?)]] = [:]
    /// The schemas that others refer to.
    private let components: JSON

    private static let spaces = ["main", "main", "main", "common", "a", "room-7", "A.b_c", "0"]
    private static let ids = ["a", "a", "d", "zip", "none", "definitions", "put", "ö", "a%20b"]
    private static let features = ["x", "x", "x", "user", "streams", "none", "ö"]
    /// A document, and another one of its name that migrates its state.
    private static let documents = [
        #"""
        {"feature": "x", "home": "space", "state": {"t": {"table": {"key": {"type": "string"},
           "row": {"type": "object", "properties": {"n": {"type": "integer"}, "w": {"type": "string", "default": ""}},
           "required": ["n"]}}, "initial": {"i": {"n": 1, "w": "one two"}}, "indexes": {"w": {"search": ["row.w"]},
           "n": {"by": ["row.n"], "unique": true}}}},
         "actions": {"put": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "n": {"type": "integer"}},
           "required": ["id"]}, "do": [{"put": "t", "key": "input.id", "row": "{'n': has(input.n) ? input.n : 0}"}],
           "answer": "size(index.n(0))"}},
         "views": {"all": {"from": "t", "sort": ["-row.n"], "limit": 3}, "late": {"every": "1m", "expression": "string(now)"},
           "found": {"parameters": {"q": {"type": "string", "default": ""}}, "from": "t", "search": {"index": "w",
           "for": "input.q"}}}}
        """#,
        #"""
        {"feature": "x", "home": "space", "drops": ["t.n"], "state": {"u": {"was": "t", "table": {"key": {"type": "string"},
           "row": {"type": "object", "properties": {"m": {"type": "string", "was": "w", "default": ""},
           "p": {"anyOf": [{"$ref": "#/types/P"}, {"type": "null"}], "default": null}}}}, "indexes": {"n": {"by": ["row.m"]}}}},
         "types": {"P": {"type": "object", "properties": {"k": {"const": "a"}}, "required": ["k"]}},
         "define": {"me": {"is": "token.sub"}},
         "actions": {"put": {"allow": "me() != ''", "do": [{"put": "u", "key": "me()", "row": "{'m': me()}"}]}},
         "views": {"all": {"from": "u", "where": "row.m == token.sub"}}}
        """#,
    ]
    private static let tags = [
        "\"v1.0\"", "*", "W/\"v1.1\"", "\"\"", "\"v1.9223372036854775807\"", "\"vzzzzzzzzzzzzzz.1\"", "\"a-gzip\"",
        "\"a\", \"b\"", "\"", "\"0.0-\(opaque)\"", "W/\"18.7-\(opaque)-gzip\"", "\"7-\(opaque)\"",
        "\"007.1-\(opaque)\"",
        "\"9223372036854775807.1-\(opaque)\"", "\"1.-\(opaque)\"", "\".1-\(opaque)\"", "\"1.1.1-\(opaque)\"",
    ]
    /// What a tag of views has after its versions.
    private static let opaque = String(repeating: "A", count: 33)
    /// JSON Web Tokens: a good one, an expired one, and others without a signature.
    private static let webTokens: [String] = {
        let signed = [2_000_000_000, 1].compactMap { try? TokenIssuer.token(TokenIssuer.claims(until: $0), .ed) }
        return signed + ["e30.e30.AA", "..", "eyJhbGciOiJub25lIn0.e30."]
    }()
    private static let numbers = [
        "0", "1", "-1", "+1", "60", "61", "007", "9223372036854775807", "9223372036854775808", "1e3", " 1", "", "٣",
        "0x10", "1.5", "v1.0",
        "v1.-0", "v.0", "v-1.0", "99999999999999999999999999",
    ]
    private static let parameters = [
        "view", "since", "wait", "events", "lastEventId", "limit", "after", "shared", "access_token", "_x", "view",
        "watch", "ticket", "progress", "delta", "atLeast", "id", "productId", "total", "at", "at", "from", "to",
        "common", "rehearse", "definition", "state", "search", "prefix", "details", "q",
    ]

    /// Creates a generator for the service with the given index, paths and contract.
    package init(index: JSON, paths: [String], contract: JSON) {
        var actions: [(path: String, parameters: JSON)] = []
        var views: [(path: String, name: String)] = []
        for feature in Self.list(index["features"]) {
            for action in Self.list(feature["actions"]) {
                if case .string(let path)? = action["path"] { actions.append((path, action["parameters"] ?? [:])) }
            }
            for view in Self.list(feature["views"]) {
                if case .string(let path)? = view["path"], case .string(let name)? = view["view"] {
                    views.append((path, name))
                }
            }
        }
        actions.append(("/v1/spaces/{space}/x/put", ["type": "object", "properties": ["id": ["type": "string"]]]))
        views += ["all", "late", "found"].map { ("/v1/spaces/{space}/x/\($0)", "x.\($0)") }
        self.actions = actions
        self.views = views
        self.paths = paths
        components = contract["components"]?["schemas"] ?? [:]
        for path in paths {
            guard case .object(let item)? = contract["paths"]?[path] else { continue }
            operations[path] = item.filter { $0.key != "parameters" }.map {
                ($0.key.uppercased(), $0.value["requestBody"]?["content"]?["application/json"]?["schema"])
            }
        }
    }

    private static func list(_ json: JSON?) -> [JSON] { if case .array(let elements)? = json { elements } else { [] } }

    /// Returns the bytes of a connection in the parts that are sent.
    package func connection(_ entropy: inout Entropy) -> [[UInt8]] {
        var bytes: [UInt8] = []
        for _ in 0..<(entropy.isOne(in: 3) ? 2 : 1) { bytes += request(&entropy) }
        if entropy.isOne(in: 2) { for _ in 0..<1 + entropy.below(3) { mutate(&bytes, &entropy) } }
        guard entropy.isOne(in: 5), !bytes.isEmpty else { return [bytes] }
        let place = entropy.below(bytes.count)
        return [Array(bytes[..<place]), Array(bytes[place...])]
    }

    /// Calls `body` for each kind of path with its method.
    package func eachPath(_ body: (String, String, [UInt8]) throws -> Void) rethrows {
        var entropy = Entropy(seed: 1)
        for path in paths {
            var values = JSONGenerator(components: components)
            let (method, target, content) =
                path.contains("{action}") ? act(&values, &entropy) : fill(path, &values, &entropy)
            try body(method, target, Array(content.utf8))
        }
    }

    // MARK: Valid requests

    private func request(_ entropy: inout Entropy) -> [UInt8] {
        var values = JSONGenerator(components: components)
        let path = entropy.one(of: paths)
        let isAction = path.contains("{action}") || entropy.isOne(in: 3)
        var (method, target, body) = isAction ? act(&values, &entropy) : fill(path, &values, &entropy)
        if entropy.isOne(in: 12) {
            method = entropy.one(of: ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "get", "TRACE"])
        }
        target += query(&entropy)
        if entropy.isOne(in: 20) { target = "http://localhost" + target }
        var head = "\(method) \(target) HTTP/1.\(entropy.isOne(in: 20) ? 0 : 1)\r\n"
        var fields = [entropy.isOne(in: 20) ? "Host: 127.0.0.1:8080" : "Host: localhost"]
        if !body.isEmpty || entropy.isOne(in: 10) { fields.append("Content-Type: application/json") }
        for field in KnownField.allCases where entropy.isOne(in: 12) {
            fields.append("\(field.name): \(value(of: field, &entropy))")
        }
        let isChunked = !body.isEmpty && entropy.isOne(in: 10)
        fields.removeAll {
            $0.hasPrefix("transfer-encoding") || $0.hasPrefix("content-length") || $0.hasPrefix("host:")
        }
        if isChunked {
            fields.append("Transfer-Encoding: chunked")
            let middle = entropy.below(body.utf8.count)
            let (first, second) = (Array(body.utf8)[..<middle], Array(body.utf8)[middle...])
            let text = [first, second].filter { !$0.isEmpty }
                .map { String($0.count, radix: 16) + "\r\n" + String(decoding: $0, as: UTF8.self) + "\r\n" }
            body = text.joined() + "0\r\n\r\n"
        } else if !body.isEmpty || method == "POST" {
            fields.append("Content-Length: \(body.utf8.count)")
        }
        head += fields.joined(separator: "\r\n") + "\r\n\r\n"
        return Array((head + body).utf8)
    }

    private func act(_ values: inout JSONGenerator, _ entropy: inout Entropy) -> (String, String, String) {
        let action = entropy.one(of: actions)
        let path = action.path.replacing("{space}", with: entropy.one(of: Self.spaces))
        return ("POST", path, values.text(of: action.parameters, &entropy))
    }

    private func fill(
        _ path: String, _ values: inout JSONGenerator, _ entropy: inout Entropy
    ) -> (String, String, String) {
        let view = entropy.one(of: views).path.replacing("{space}", with: entropy.one(of: Self.spaces))
        var target = path
        if path.contains("{feature}/{view}") { target = view + path.split(separator: "{view}").dropFirst().joined() }
        target = target.replacing("{space}", with: entropy.one(of: Self.spaces)).replacing(
            "{id}", with: entropy.one(of: Self.ids)
        ).replacing("{feature}", with: entropy.one(of: Self.features))
        if path == "/mcp" {
            return ("POST", "/mcp\(entropy.isOne(in: 4) ? "?space=a" : "")", message(&values, &entropy))
        }
        if path.hasSuffix("/restore") { return ("POST", target, Self.restoration(&entropy)) }
        if path.hasSuffix("streams:test") { return ("POST", target, values.trial(&entropy)) }
        if path == "/v1/features/{feature}", entropy.isOne(in: 2) {
            return ("PUT", "/v1/features/x", entropy.one(of: Self.documents))
        }
        if path.hasSuffix("/actions") { return ("POST", target, list(&values, &entropy)) }
        guard let operations = operations[path] else { return ("GET", target, "") }
        let (method, schema) = entropy.one(of: operations)
        return (method, target, schema.map { values.text(of: $0, &entropy) } ?? "")
    }

    /// Returns a list of actions for one commit.
    private func list(_ values: inout JSONGenerator, _ entropy: inout Entropy) -> String {
        var actions: [String] = []
        for _ in 0..<entropy.below(4) {
            let (_, path, input) = act(&values, &entropy)
            let name = path.split(separator: "/").suffix(2).joined(separator: "/")
            actions.append(#"{"name": "\#(name)", "input": \#(input)}"#)
        }
        return #"{"actions": [\#(actions.joined(separator: ", "))]}"#
    }

    /// A message of an agent, with a version in itself or without.
    private func message(_ values: inout JSONGenerator, _ entropy: inout Entropy) -> String {
        let view = entropy.one(of: views).name
        let space = entropy.one(of: Self.spaces)
        let uri = "headwater://spaces/\(space)/\(view.replacing(".", with: "/"))"
        let action = entropy.one(of: actions)
        let tool = action.path.split(separator: "/").suffix(2).joined(separator: "_")
        let (method, params): (String, String) =
            switch entropy.below(9) {
            case 0: ("initialize", #""protocolVersion": "2025-06-18""#)
            case 1: ("tools/list", #""cursor": "\#(entropy.below(300))""#)
            case 2: (entropy.one(of: ["resources/list", "resources/templates/list", "ping", "server/discover"]), "")
            case 3: ("resources/read", #""uri": "\#(uri)""#)
            case 4:
                (
                    entropy.one(of: ["resources/subscribe", "subscriptions/listen"]),
                    #""uri": "\#(uri)", "notifications": {"resourceSubscriptions": ["\#(uri)"]}"#
                )
            case 5:
                ("tools/call", #""name": "\#(tool)", "arguments": \#(values.text(of: action.parameters, &entropy))"#)
            case 6:
                ("tools/call", #""name": "headwater_read", "arguments": {"view": "\#(view)", "space": "\#(space)"}"#)
            case 7:
                (
                    "tools/call",
                    #""name": "headwater_changes", "arguments": {"limit": \#(entropy.one(of: Self.numbers))}"#
                )
            default: ("notifications/initialized", "")
            }
        let id = entropy.isOne(in: 8) ? "" : #""id": \#(entropy.one(of: ["1", "\"a\"", "null", "1e99"])), "#
        let meta =
            #""_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}"#
        let all = [params, entropy.isOne(in: 2) ? meta : ""].filter { !$0.isEmpty }.joined(separator: ", ")
        return #"{"jsonrpc": "2.0", \#(id)"method": "\#(method)", "params": {\#(all)}}"#
    }

    /// Points of the past, right and wrong.
    private static let points = [
        "0", "1", "2", "1.0", "1.1", "0.1", "2.", ".2", "1.0-\(opaque)", "1-\(opaque)", "1-0_0", "2-1x_0",
        "2023-11-14T22:30:00Z", "2023-11-14T22:30:00.5%2B01:00", "2023-02-30T00:00:00Z", "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:60-23:59", "2023-11-14", "99999999999999999.99999999999999999",
    ]

    /// The body of a return to an earlier state.
    private static func restoration(_ entropy: inout Entropy) -> String {
        let point = entropy.one(of: points + numbers).replacing("%2B", with: "+")
        return switch entropy.below(5) {
        case 0: "{\"at\": \"\(point)\"}"
        case 1: "{\"version\": \(point)}"
        case 2: "{\"version\": \(entropy.below(4)), \"at\": \"\(point)\"}"
        default: "{\"version\": \(entropy.below(4))}"
        }
    }

    private func query(_ entropy: inout Entropy) -> String {
        guard entropy.isOne(in: 3) else { return "" }
        let parameters = (0..<1 + entropy.below(3)).map { _ -> String in
            let name = entropy.one(of: Self.parameters)
            let value =
                switch name {
                case "view": view(&entropy)
                case "ticket", "access_token": entropy.one(of: ["secret", "AAAA"] + Self.webTokens)
                case "after": entropy.one(of: Self.spaces + Self.numbers)
                case "delta": entropy.isOne(in: 4) ? "json" : "json-patch"
                case "progress", "events": entropy.one(of: ["1", "0", "false", "true", ""])
                case "at", "from", "to": entropy.one(of: Self.points + Self.numbers)
                case "common": entropy.one(of: ["yes", "no", "1"])
                case "since" where entropy.isOne(in: 2): entropy.one(of: Self.points)
                case "lastEventId", "since", "atLeast": entropy.one(of: Self.numbers + ["18.7-" + Self.opaque])
                default: entropy.one(of: Self.numbers)
                }
            return name
                + (entropy.isOne(in: 10) ? "" : "=" + value.replacing(" ", with: "%20").replacing("٣", with: "%D9%A3"))
        }
        return "?" + parameters.joined(separator: "&")
    }

    /// Returns the name of a view, or of an instance with right or wrong parameters.
    private func view(_ entropy: inout Entropy) -> String {
        if entropy.isOne(in: 6) { return "streams.a" }
        let name = entropy.one(of: views).name
        guard entropy.isOne(in: 3) else { return name }
        let values = Self.numbers + ["%253", "%25FF", "%26", "a%3Db", "~%2520"]
        let pairs = (0..<1 + entropy.below(2)).map { _ in
            let name = entropy.one(of: ["id", "productId", "limit", "after", "total", "at", "", "%253F"])
            return "\(name)%3D\(entropy.one(of: values))"
        }
        return "\(name)%3F\(pairs.joined(separator: "%26"))"
    }

    // MARK: Fields

    /// Valid and borderline values of a field.
    package static func values(of field: KnownField) -> [String] {
        switch field {
        case .host: ["localhost", "127.0.0.1:8080", "[::1]:80", "LOCALHOST:"]
        case .contentLength: ["0", "2"]
        case .transferEncoding: ["chunked"]
        case .connection: ["close", "keep-alive", "close, x"]
        case .expect: ["100-continue"]
        case .contentType: ["application/json", "Application/JSON; charset=utf-8", "text/plain"]
        case .accept:
            [
                "text/event-stream", "text/event-stream; delta=json-patch",
                "application/json;q=0.5, text/event-stream;q=0.1", "*/*", "a/b", "text/csv",
                "application/x-ndjson, text/csv;q=0.1",
            ]
        case .ifNoneMatch, .ifMatch: tags
        case .prefer: ["wait=5", "respond-async, wait=\"5\"", "wait=99999999999999999999"]
        case .authorization: ["Bearer secret", "Basic YTpi", "Bearer"] + webTokens.map { "Bearer \($0)" }
        case .origin: ["http://localhost", "https://example.org", "null"]
        case .idempotencyKey: ["k", "8e03978e-40d5-43dd-bc93-6894a57f9324"]
        case .lastEventID: ["v1.0", "end", "", "18.7-" + opaque, "W/\"7-\(opaque);gzip\"", "1-0_0"]
        case .requestID: ["abc"]
        case .upgrade: ["websocket"]
        case .accessControlRequestMethod: ["POST"]
        case .secFetchSite: ["same-origin", "none", "cross-site", "same-site"]
        case .secFetchMode: ["cors", "navigate", "no-cors"]
        case .secFetchDest: ["empty", "document", "script"]
        case .acceptEncoding: ["gzip", "gzip;q=0.5, identity;q=0", "*;q=0", "br, x-gzip;q=1.000", "identity"]
        case .contentEncoding: ["identity", "gzip", "identity, br"]
        case .forwardedFor: ["203.0.113.5", "10.0.0.1, ::1", "x", ","]
        case .queue:
            [
                "AAAAAAAAAAAAAAAAAAAAAA;1", "AAAAAAAAAAAAAAAAAAAAAA;2;1", "AAAAAAAAAAAAAAAAAAAAAA;7;6", "x;1", ";;",
                "AAAAAAAAAAAAAAAAAAAAAA;0", "AAAAAAAAAAAAAAAAAAAAAA;1;9",
            ]
        case .clientTime: ["2026-11-21T22:00:00Z", "1970-01-01T00:00:00Z", "now"]
        case .document: ["AAAAAAAAAAAAAAAAAAAAAA", ""]
        case .agentVersion: ["2025-11-25", "2026-07-28", "2024-11-05", "x"]
        case .agentMethod: ["tools/call", "initialize", "x"]
        case .agentName: ["headwater_read", "=?base64?w7Y=?=", "=?base64?*?="]
        case .agentSession: ["none", "AAAAAAAAAAAAAAAAAAAAAAAA"]
        case .traceParent: ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-0-0-0", "x"]
        case .traceState: ["congo=t61rcWkgMzE", ""]
        case .aIM: ["json-patch", "vcdiff, JSON-Patch;q=0.5", "json-patch;q=0", ",;="]
        }
    }

    private func value(of field: KnownField, _ entropy: inout Entropy) -> String {
        entropy.one(of: Self.values(of: field))
    }

    // MARK: Corruption

    private func mutate(_ bytes: inout [UInt8], _ entropy: inout Entropy) {
        guard !bytes.isEmpty else { return }
        let place = entropy.below(bytes.count)
        switch entropy.below(8) {
        case 0, 1: bytes[place] = entropy.byte()
        case 2: bytes.insert(entropy.byte(), at: place)
        case 3: bytes.remove(at: place)
        case 4: bytes.removeSubrange(place..<min(bytes.count, place + entropy.below(20)))
        case 5:
            bytes.insert(
                contentsOf: bytes[place..<min(bytes.count, place + entropy.below(60))], at: entropy.below(bytes.count))
        case 6: bytes.insert(contentsOf: Array(entropy.one(of: JSONGenerator.edges).utf8), at: place)
        default: bytes.insert(contentsOf: request(&entropy), at: place)
        }
    }
}
