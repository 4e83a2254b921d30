import JSON
import ServiceInProcess

/// The names that the requests of a scenario use, those of guarded views and unreadable spaces included.
struct ProbeNames: Sendable {
    /// A name, and the query that a reader gives it.
    struct NamedView: Sendable {
        let name: String
        let query: String
        let isList: Bool
    }

    var spaces: [String] = []
    var views: [NamedView] = []
    var actions: [(name: String, body: String)] = []
    var streams: [String] = []
    var hooks: [(space: String, id: String)] = []
    var tables: [String] = []
    var features: [String] = []
    /// Documents as a caller without secrets would write them, with their names.
    var documents: [(name: String, text: String)] = []
    /// Definitions of streams.
    var definitions: [String] = []
    /// The steps whose answers have a tag: mia's, which eva guesses.
    var tags: [Int] = []
    /// The step that made a ticket of eva's.
    var ticket = 0
    var presences: [String] = []
    /// True if a return to an earlier state brings no secret into an open place.
    var canReturn = true
}

/// A writer of the requests of each road.
struct ProbeWriter {
    /// A request, and whether it stays open.
    struct Probe {
        var message: Message
        var isStream = false
    }

    private var entropy: Entropy
    private let names: ProbeNames
    private static let events = (name: "Accept", value: "text/event-stream")
    private static let replaying = "/v1/features:replay"

    init(_ entropy: Entropy, _ names: ProbeNames) {
        self.entropy = entropy
        self.names = names
    }

    /// Returns one random request of a road, by eva.
    mutating func probe(_ road: Road) -> Probe {
        var probe = request(road)
        // The token can be in the query, or a ticket.
        if road.method == "GET", entropy.isOne(in: 8) {
            let joint = probe.message.line.contains("?") ? "&" : "?"
            if entropy.isOne(in: 2) {
                probe.message.line += "\(joint)access_token=<<token 0>>"
            } else {
                probe.message.line += "\(joint)ticket=<<ticket \(names.ticket)>>"
            }
            probe.message.isAnonymous = true
        } else if entropy.isOne(in: 25) {
            probe.message.isAnonymous = true
        }
        if road.method == "GET", !probe.isStream, entropy.isOne(in: 10) {
            probe.message.line = "HEAD" + probe.message.line.dropFirst(3)
        } else if !road.changes, !probe.isStream, entropy.isOne(in: 40) {
            probe.message.line = "OPTIONS" + probe.message.line.dropFirst(road.method.utf8.count)
            probe.message.body = ""
        }
        // The time to reconnect after is random, so streams are not compressed.
        if !probe.isStream, entropy.isOne(in: 15) { probe.message.fields.append(("Accept-Encoding", "gzip")) }
        return probe
    }

    private mutating func request(_ road: Road) -> Probe {
        let space = entropy.isOne(in: 3) ? entropy.one(of: names.spaces) : names.spaces[0]
        let base = "/v1/spaces/\(space)"
        func plain(_ target: String, _ body: String = "") -> Probe {
            Probe(message: Message(by: .eva, road: road.name, line: "\(road.method) \(target)", body: body))
        }
        switch (road.method, road.path) {
        case (_, "/v1/spaces"):
            return plain(
                entropy.one(of: [
                    "/v1/spaces", "/v1/spaces?limit=1", "/v1/spaces?details=1", "/v1/spaces?prefix=hid",
                    "/v1/spaces?search=s", "/v1/spaces?after=a&limit=2",
                ]))
        case ("POST", "/mcp"): return message(road)
        case (_, "/mcp"):
            var probe = plain("/mcp")
            probe.message.fields.append(("Mcp-Session-Id", "none"))
            return probe
        case ("POST", "/v1/live"): return steered(road)
        case (_, "/v1/live"): return live(road)
        case (_, "/v1/live/{stream}"):
            return plain("/v1/live/AAAAAAAAAAAAAAAAAAAAAA0", #"{"seq": 1, "watch": {"\(space)/safe.items": null}}"#)
        case (_, "/v1/changes"): return changes(road, "/v1/changes")
        case (_, "/v1/subjects"):
            return plain(entropy.one(of: ["/v1/subjects", "/v1/subjects?limit=1", "/v1/subjects?search=m&after=a"]))
        case (_, "/v1/audit"):
            return plain(entropy.one(of: ["/v1/audit", "/v1/audit?limit=500", "/v1/audit?after=900"]))
        case (_, "/v1/me"): return plain("/v1/me")
        case (_, "/v1/tickets"):
            return plain("/v1/tickets", entropy.isOne(in: 2) ? "{}" : #"{"path": "\#(base)/views"}"#)
        case ("PUT", "/v1/features"):
            let all = names.documents.map { "\"\($0.name)\": \($0.text)" }.joined(separator: ", ")
            return plain("/v1/features", "{\(all)}")
        case (let method, "/v1/features/{feature}"):
            let document = names.documents.isEmpty ? ("none", "{}") : entropy.one(of: names.documents)
            switch method {
            case "PUT": return plain("/v1/features/\(document.0)", document.1)
            case "DELETE":
                return plain("/v1/features/\(document.0)" + (entropy.isOne(in: 2) ? "?state=drop" : ""))
            default:
                return plain(
                    "/v1/features/\(entropy.one(of: names.features))"
                        + (entropy.isOne(in: 2) ? "?at=\(entropy.below(12))" : ""))
            }
        case (_, "/v1/features/{feature}/client"):
            return plain("/v1/features/\(entropy.one(of: names.features))/client")
        case (_, "/v1/features/{feature}/plan"):
            return plain("/v1/features/\(entropy.one(of: names.features))/plan")
        case (_, "/v1/features/{feature}/problems"):
            return plain("/v1/features/\(entropy.one(of: names.features))/problems")
        case (_, "/v1/features/{feature}/hooks"):
            return plain("/v1/features/\(entropy.one(of: names.features))/hooks")
        case (_, "/v1/features/{feature}/migration"):
            return plain("/v1/features/\(entropy.one(of: names.features))/migration")
        case (_, "/v1/features/{feature}/rehearsals/{id}"):
            return plain("/v1/features/\(entropy.one(of: names.features))/rehearsals/none")
        case (_, "/v1/features:test"):
            return plain("/v1/features:test", names.documents.isEmpty ? "{}" : entropy.one(of: names.documents).text)
        case (_, Self.replaying): return replay(road)
        case ("GET", "/v1/spaces/{space}"):
            return plain(base + (entropy.isOne(in: 2) ? "?at=\(point())" : ""))
        case (_, "/v1/spaces/{space}"): return plain(base)
        case (_, "/v1/spaces/{space}/views"): return views(road, base)
        case (_, "/v1/spaces/{space}/changes"): return changes(road, "\(base)/changes")
        case (_, "/v1/spaces/{space}/graph"): return plain("\(base)/graph")
        case (_, "/v1/spaces/{space}/{feature}/{view}"):
            let view = entropy.one(of: names.views)
            return reading(
                road, "\(base)/\(view.name.replacing(".", with: "/"))", view.query, isList: view.isList, hasPast: true)
        case (_, "/v1/spaces/{space}/{feature}/{action}"), (_, "/v1/spaces/{space}/actions"): return act(road, base)
        case (_, "/v1/spaces/{space}/{feature}/{view}/why"):
            let view = entropy.one(of: names.views)
            return plain(
                "\(base)/\(view.name.replacing(".", with: "/"))/why\(view.query.isEmpty ? "" : "?\(view.query)")")
        case (_, "/v1/spaces/{space}/{feature}/{view}/history"):
            let view = entropy.one(of: names.views)
            return history(road, "\(base)/\(view.name.replacing(".", with: "/"))/history", view.query)
        case (_, "/v1/spaces/{space}/views/diff"):
            var parts = ["from=\(point())", "to=\(point())"]
            for _ in 0..<entropy.below(3) { parts.append("view=\(named(entropy.one(of: names.views)))") }
            if !names.streams.isEmpty, entropy.isOne(in: 4) {
                parts.append("view=streams.\(entropy.one(of: names.streams))")
            }
            return plain("\(base)/views/diff?\(parts.joined(separator: "&"))")
        case (_, "/v1/spaces/{space}/streams"):
            return reading(road, "\(base)/streams", "", isList: false, hasPast: false)
        case (_, "/v1/spaces/{space}/streams:test"): return plain("\(base)/streams:test", trial())
        case (_, "/v1/spaces/{space}/rules:test"):
            return plain(
                "\(base)/rules:test", #"{"token": {"sub": "mia"}, "view": "\(entropy.one(of: names.views).name)"}"#)
        case (_, "/v1/spaces/{space}/hooks"): return plain("\(base)/hooks")
        case (let method, "/v1/spaces/{space}/hooks/{id}"):
            let hook = names.hooks.isEmpty ? ("main", "none") : entropy.one(of: names.hooks)
            let path = "/v1/spaces/\(hook.0)/hooks/\(hook.1)"
            guard method == "PUT" else { return plain(path) }
            let view = named(entropy.one(of: names.views.filter { $0.query.isEmpty }))
            return plain(
                "/v1/spaces/\(space)/hooks/p\(entropy.below(3))",
                #"{"source": {"view": "\#(view)"}, "url": "http://eva.example:9000/p", "secret": "x"}"#)
        case (_, "/v1/spaces/{space}/restore"):
            guard names.canReturn else { return plain("/v1/spaces/none/restore", "{}") }
            let body = entropy.isOne(in: 4) ? #"{"at": "2023-11-14T22:30:04Z"}"# : #"{"version": \#(entropy.below(6))}"#
            var target = "\(base)/restore?view=\(named(entropy.one(of: names.views)))"
            if space == "common" { target += "&common=yes" }
            return plain(target, body)
        case (_, "/v1/spaces/{space}/erase"):
            let table = names.tables.isEmpty ? "safe.items" : entropy.one(of: names.tables)
            return plain(
                "\(base)/erase?view=\(named(entropy.one(of: names.views)))",
                #"{"table": "\#(table)", "key": "\#(entropy.one(of: DocumentWriter.keys))"}"#)
        case (_, "/v1/spaces/{space}/administration/edit"):
            let table = names.tables.isEmpty ? "safe.items" : entropy.one(of: names.tables)
            let change = entropy.one(of: [#""remove": true"#, #""with": {}"#, #""with": {"none": 1}"#])
            let edit = #"{"table": "\#(table)", "key": "\#(entropy.one(of: DocumentWriter.keys))", \#(change)}"#
            let body =
                entropy.isOne(in: 3)
                ? #"{"reason": "x", "undo": \#(1 + entropy.below(12))}"# : #"{"reason": "x", "edits": [\#(edit)]}"#
            return plain("\(base)/administration/edit" + (entropy.isOne(in: 2) ? "?rehearse=1" : ""), body)
        case (_, "/v1/requests/{id}/why"):
            return plain("/v1/requests/\(entropy.one(of: ["none", "mia", "eva"]))/why")
        case (let method, let path) where path.hasPrefix("/v1/spaces/{space}/streams/{id}"):
            return stream(road, method, String(path.dropFirst("/v1/spaces/{space}/streams/{id}".count)), base)
        default: return plain(road.path)
        }
    }

    // MARK: Parts

    /// A point of the past.
    private mutating func point() -> String {
        switch entropy.below(8) {
        case 0: return "2023-11-14T22:30:0\(entropy.below(10))Z"
        case 1: return "\(entropy.below(12)).\(entropy.below(6))"
        case 2 where !names.tags.isEmpty: return "<<tag \(entropy.one(of: names.tags))>>"
        default: return "\(entropy.below(24))"
        }
    }

    /// The name of a view as the parameter `view` has it.
    private func named(_ view: ProbeNames.NamedView) -> String {
        view.query.isEmpty ? view.name : "\(view.name)%3F\(view.query.replacing("=", with: "%3D"))"
    }

    private mutating func tag() -> String {
        names.tags.isEmpty || entropy.isOne(in: 3) ? "\"1-x\"" : "<<etag \(entropy.one(of: names.tags))>>"
    }

    /// A request that reads views, in one of the ways of reading.
    private mutating func reading(
        _ road: Road, _ target: String, _ query: String, isList: Bool, hasPast: Bool
    ) -> Probe {
        var parts = query.isEmpty ? [] : [query]
        var (fields, isStream): ([(name: String, value: String)], Bool) = ([], false)
        switch entropy.below(hasPast ? 18 : 12) {
        case 0, 1: break
        case 2: fields = [("If-None-Match", tag())]
        case 3: (parts, isStream) = (parts + ["events=1"], true)
        case 4: (fields, isStream) = ([Self.events], true)
        case 5: (parts, isStream) = (parts + ["events=1", "delta=json-patch"], true)
        case 6: (parts, isStream) = (parts + ["events=1", "progress=1"], true)
        case 7: (fields, isStream) = ([("If-None-Match", tag()), ("Prefer", "wait=5")], true)
        case 8: (parts, isStream) = (parts + ["since=x", "wait=5"], true)
        case 9: fields = [("A-IM", "json-patch"), ("If-None-Match", tag())]
        case 10: (parts, isStream) = (parts + ["events=1", "lastEventId=<<tag \(names.tags.last ?? 0)>>"], true)
        case 11: parts.append("atLeast=1-x")
        case 12 where isList: parts += ["limit=1", "total=1"]
        case 13 where isList: parts += ["limit=2", "after=x"]
        case 14: parts += ["at=\(point())", "definition=current"]
        default: parts.append("at=\(point())")
        }
        let line = parts.isEmpty ? target : "\(target)?\(parts.joined(separator: "&"))"
        return Probe(
            message: Message(by: .eva, road: road.name, line: "GET \(line)", fields: fields), isStream: isStream)
    }

    private mutating func views(_ road: Road, _ base: String) -> Probe {
        var parts: [String] = []
        if !entropy.isOne(in: 3) {
            for _ in 0..<1 + entropy.below(4) { parts.append("view=\(named(entropy.one(of: names.views)))") }
            if !names.streams.isEmpty, entropy.isOne(in: 3) {
                parts.append("view=streams.\(entropy.one(of: names.streams))")
            }
        }
        if !names.presences.isEmpty, entropy.isOne(in: 6) {
            let table = entropy.one(of: names.presences)
            parts = ["view=\(table)", "presence=\(table)", "as=eva", "with=%7B%22seat%22%3A2%7D", "events=1"]
            let line = "GET \(base)/views?\(parts.joined(separator: "&"))"
            return Probe(message: Message(by: .eva, road: road.name, line: line), isStream: true)
        }
        return reading(road, "\(base)/views", parts.joined(separator: "&"), isList: false, hasPast: true)
    }

    private mutating func live(_ road: Road) -> Probe {
        var parts: [String] = []
        for _ in 0..<1 + entropy.below(4) {
            let view =
                names.streams.isEmpty || entropy.isOne(in: 3)
                ? named(entropy.one(of: names.views)) : "streams.\(entropy.one(of: names.streams))"
            parts.append("watch=\(entropy.one(of: names.spaces))/\(view)")
        }
        if entropy.isOne(in: 3) { parts.append("delta=json-patch") }
        if entropy.isOne(in: 4) { parts.append("lastEventId=x") }
        let accepts = entropy.isOne(in: 2)
        if !accepts { parts.append("events=1") }
        return Probe(
            message: Message(
                by: .eva, road: road.name, line: "GET /v1/live?\(parts.joined(separator: "&"))",
                fields: accepts ? [Self.events] : []), isStream: true)
    }

    private mutating func steered(_ road: Road) -> Probe {
        var members: [String] = []
        for _ in 0..<1 + entropy.below(4) {
            let view = entropy.one(of: names.views)
            let name =
                names.streams.isEmpty || entropy.isOne(in: 3)
                ? view.name + (view.query.isEmpty ? "" : "?\(view.query)") : "streams.\(entropy.one(of: names.streams))"
            let tag = names.tags.isEmpty || entropy.isOne(in: 2) ? "null" : "\"<<tag \(entropy.one(of: names.tags))>>\""
            members.append("\"\(entropy.one(of: names.spaces))/\(name)\": \(tag)")
        }
        let delta = entropy.isOne(in: 2) ? #", "delta": "json-patch""# : ""
        let progress = entropy.isOne(in: 2) ? #", "progress": true, "client": "AAAAAAAAAAAAAAAAAAAAAA""# : ""
        return Probe(
            message: Message(
                by: .eva, road: road.name, line: "POST /v1/live",
                fields: [Self.events],
                body: "{\"watch\": {\(members.joined(separator: ", "))}\(delta)\(progress)}"),
            isStream: true)
    }

    /// A message of an agent.
    private mutating func message(_ road: Road) -> Probe {
        let view = entropy.one(of: names.views)
        let space = entropy.one(of: names.spaces)
        let uri =
            "headwater://spaces/\(space)/\(view.name.replacing(".", with: "/"))"
            + (view.query.isEmpty ? "" : "?\(view.query)")
        func tool(_ name: String, _ arguments: String) -> (String, String, String) {
            ("tools/call", name, #""name": "\#(name)", "arguments": {\#(arguments)}"#)
        }
        let named = #""view": "\#(view.name)", "space": "\#(space)""#
        let (method, name, params): (String, String, String) =
            switch entropy.below(11) {
            case 0: ("tools/list", "", "")
            case 1: ("resources/list", "", "")
            case 2, 3: ("resources/read", uri, #""uri": "\#(uri)""#)
            case 4: ("subscriptions/listen", "", #""notifications": {"resourceSubscriptions": ["\#(uri)"]}"#)
            case 5: tool("headwater_why", named)
            case 6: tool("headwater_history", named)
            case 7: tool("headwater_changes", #""space": "\#(space)", "since": \#(entropy.below(12))"#)
            case 8: tool("headwater_features", #""feature": "\#(entropy.one(of: names.features))""#)
            case 9: tool("headwater_spaces", "")
            default: tool("headwater_read", named + (entropy.isOne(in: 2) ? #", "at": "\#(point())""# : ""))
            }
        let meta =
            #""_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}"#
        let fields =
            [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)]
            + (name.isEmpty ? [] : [("Mcp-Name", name)])
        let all = [params, meta].filter { !$0.isEmpty }.joined(separator: ", ")
        return Probe(
            message: Message(
                by: .eva, road: road.name, line: "POST /mcp", fields: fields.map { (name: $0.0, value: $0.1) },
                body: #"{"jsonrpc": "2.0", "id": 1, "method": "\#(method)", "params": {\#(all)}}"#),
            isStream: method == "subscriptions/listen")
    }

    private mutating func changes(_ road: Road, _ target: String) -> Probe {
        let hasLimit = target != "/v1/changes"
        let since = hasLimit ? "since=\(entropy.below(12))" : "since="
        let forms: [(String, [(name: String, value: String)], Bool)] = [
            ("", [], false), ("?\(since)", [], false), ("?\(since)\(hasLimit ? "&limit=3" : "")", [], false),
            ("?events=1", [], true), ("", [Self.events], true), ("?\(since)&events=1", [], true),
            ("?since=\(hasLimit ? "<<version 0>>" : "<<cursor \(names.tags.last ?? 0)>>")&wait=5", [], true),
            ("", [("If-None-Match", "<<etag \(names.tags.last ?? 0)>>"), ("Prefer", "wait=5")], true),
            ("?events=1&lastEventId=2-x", [], true), ("?atLeast=1-x", [], false),
        ]
        let (query, fields, isStream) = entropy.one(of: forms)
        return Probe(
            message: Message(by: .eva, road: road.name, line: "GET \(target)\(query)", fields: fields),
            isStream: isStream)
    }

    private mutating func history(_ road: Road, _ target: String, _ query: String) -> Probe {
        var parts = query.isEmpty ? [] : [query]
        var (fields, isStream): ([(name: String, value: String)], Bool) = ([], false)
        switch entropy.below(7) {
        case 0: parts.append("since=\(point())")
        case 1: parts.append("limit=\(1 + entropy.below(3))")
        case 2: (parts, isStream) = (parts + ["events=1"], true)
        case 3: (fields, isStream) = ([Self.events], true)
        case 4: (parts, isStream) = (parts + ["since=20", "wait=5"], true)
        case 5: parts += ["atLeast=1-x", "lastEventId=x"]
        default: break
        }
        let line = parts.isEmpty ? target : "\(target)?\(parts.joined(separator: "&"))"
        return Probe(
            message: Message(by: .eva, road: road.name, line: "GET \(line)", fields: fields), isStream: isStream)
    }

    private mutating func act(_ road: Road, _ base: String) -> Probe {
        var (name, body) = entropy.one(of: names.actions)
        if road.path.hasSuffix("/actions") {
            let actions = (0..<1 + entropy.below(3)).map { _ in
                let (name, body) = entropy.one(of: names.actions)
                return #"{"name": "\#(name)", "input": \#(body)}"#
            }
            (name, body) = ("actions", #"{"actions": [\#(actions.joined(separator: ", "))]}"#)
        }
        var parts: [String] = []
        if entropy.isOne(in: 3) { parts.append("rehearse=1") }
        for _ in 0..<entropy.below(3) { parts.append("view=\(named(entropy.one(of: names.views)))") }
        if !names.streams.isEmpty, entropy.isOne(in: 5) {
            parts.append("view=streams.\(entropy.one(of: names.streams))")
        }
        var fields: [(name: String, value: String)] = []
        if entropy.isOne(in: 5) { fields.append(("Idempotency-Key", entropy.one(of: ["eva-1", "mia-1"]))) }
        if entropy.isOne(in: 5) { fields.append(("If-Match", tag())) }
        let query = parts.isEmpty ? "" : "?\(parts.joined(separator: "&"))"
        return Probe(
            message: Message(
                by: .eva, road: road.name, line: "POST \(base)/\(name)\(query)", fields: fields, body: body))
    }

    private mutating func stream(_ road: Road, _ method: String, _ part: String, _ base: String) -> Probe {
        let id = names.streams.isEmpty ? "none" : entropy.one(of: names.streams)
        let target = "\(base)/streams/\(id)\(part)"
        switch (method, part) {
        case ("PUT", _):
            let body = names.definitions.isEmpty ? "{}" : entropy.one(of: names.definitions)
            return Probe(
                message: Message(
                    by: .eva, road: road.name, line: "PUT \(base)/streams/p\(entropy.below(3))", body: body))
        case (_, "/value"): return reading(road, target, "", isList: false, hasPast: true)
        case (_, "/values"):
            let query = entropy.one(of: ["", "?shared=1", "?events=1", "?events=1&lastEventId=x"])
            return Probe(message: Message(by: .eva, road: road.name, line: "GET \(target)\(query)"), isStream: true)
        case (_, "/history"): return history(road, target, "")
        default: return Probe(message: Message(by: .eva, road: road.name, line: "\(method) \(target)"))
        }
    }

    private mutating func trial() -> String {
        let definition =
            names.definitions.isEmpty ? #"{"source": {"view": "safe.content"}}"# : entropy.one(of: names.definitions)
        var rest = ""
        if entropy.isOne(in: 4) { rest = #", "until": 5"# }
        if entropy.isOne(in: 5) { rest += #", "inputs": {"a": "-1-2|"}"# }
        return #"{"definition": \#(definition)\#(rest)}"#
    }

    private mutating func replay(_ road: Road) -> Probe {
        var bodies = "{}"
        if !names.documents.isEmpty {
            let (name, text) = entropy.one(of: names.documents)
            // Each view shows something else, so the values of then are the differences.
            bodies = #"{"\#(name)": \#(entropy.isOne(in: 4) ? text : Self.changed(text))}"#
        }
        let spaces = entropy.isOne(in: 2) ? names.spaces[0] : entropy.one(of: names.spaces)
        return Probe(
            message: Message(
                by: .eva, road: road.name, line: "POST \(Self.replaying)",
                body: #"{"documents": \#(bodies), "spaces": ["\#(spaces)"], "commits": 50}"#))
    }

    /// Returns a document whose views with an expression or a list are numbers.
    private static func changed(_ text: String) -> String {
        guard let json = try? JSON(parsing: Array(text.utf8)), case .object(var document) = json,
            case .object(let views)? = document["views"]
        else { return text }
        var others = JSON.Object()
        for view in views {
            others[view.key] =
                view.value["source"] == nil && view.value["parameters"] == nil ? ["expression": "-7"] : view.value
        }
        document["views"] = .object(others)
        return JSON.object(document).text
    }
}
