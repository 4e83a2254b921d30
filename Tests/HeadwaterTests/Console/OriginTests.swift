import JSON
import Testing

/// The origin of values: the graph of a space, and the commits that a view's value comes from.
@Suite struct OriginTests {
    private func act(_ server: Service, _ path: String, _ body: String) throws {
        let answer = try server.ask("POST", "/v1/spaces/\(path)", body)
        guard answer.status == 200 else { throw Trouble("refused: \(answer)") }
    }

    /// Returns one line per variable: `name@space <- action version`.
    private func told(_ answer: Response) throws -> [String] {
        guard case .array(let variables)? = try answer.json["variables"] else {
            throw Trouble("no variables: \(answer)")
        }
        return variables.map { one in
            var line = "\(one["variable"].text)@\(one["space"].text)"
            if case .object(let commit)? = one["commit"] {
                line += " <- \(commit["action"].text) \(commit["version"]?.integer ?? -1)"
            } else {
                line += one["isAsItBegan"] == .bool(true) ? " as it began" : " not found"
            }
            return line
        }
    }

    @Test func `the graph of a space goes from its variables to its views`() throws {
        let server = try Service.shared()
        let answer = try server.ask("GET", "/v1/spaces/graph-1/graph")
        #expect(answer.status == 200 && answer["Content-Type"] == "application/json")
        let json = try answer.json
        #expect(json["version"]?.integer == 0 && json["isWhole"] == .bool(true) && json["space"] == .string("graph-1"))
        guard case .array(let nodes)? = json["nodes"], case .array(let edges)? = json["edges"] else {
            throw Trouble("no graph: \(answer)")
        }
        let kinds = Dictionary(uniqueKeysWithValues: nodes.map { ($0["id"].text, $0["kind"].text) })
        #expect(kinds["variable/user.name"] == "variable" && kinds["view/user.title"] == "view")
        #expect(edges.contains { $0["from"].text == "variable/user.name" && kinds[$0["to"].text] == "operator" })
        #expect(edges.allSatisfy { kinds[$0["from"].text] != nil && kinds[$0["to"].text] != nil })
        // The graph has every view of the space.
        guard case .object(let views) = try server.ask("GET", "/v1/spaces/graph-1/views").json else {
            throw Trouble("no views")
        }
        for view in views { #expect(kinds["view/\(view.key)"] == "view", "\(view.key)") }
        #expect(try server.ask("GET", "/v1/spaces/common/graph").json["space"] == .string("common"))
    }

    @Test func `why lists the commits that a view's value comes from`() throws {
        let server = try Service.shared()
        let why = "/v1/spaces/why-1/user/title/why"
        #expect(
            try told(server.ask("GET", why)) == ["user.isLoggedIn@why-1 as it began", "user.name@why-1 as it began"])
        try act(server, "why-1/user/logIn", #"{"name": "Ada"}"#)
        try act(server, "why-1/cart/add", #"{"productId": 1}"#)
        try act(server, "why-1/user/save", #"{"name": "Grace"}"#)
        let answer = try server.ask("GET", why)
        #expect(try told(answer) == ["user.isLoggedIn@why-1 <- user/logIn 1", "user.name@why-1 <- user/save 3"])
        guard case .array(let variables)? = try answer.json["variables"], let commit = variables.last?["commit"] else {
            throw Trouble("none")
        }
        #expect(
            commit["input"] == ["name": "Grace"] && commit["changed"] == ["user.name"]
                && commit["at"].text.hasSuffix("Z"))
        #expect(try answer.json["version"]?.integer == 3)
    }

    @Test func `a commit of common is listed as such, and its input only for a token that can read common`() throws {
        let scratch = try Scratch()
        // The digest of "reader".
        let file = try scratch.file(
            "tokens", "3d0941964aa3ebdcb00ccef58b1bb399f9f898465e9886d5aec7f31090a0fb30 read shop\n")
        let server = try Service("--memory", "--tokens", file, environment: ["HEADWATER_TOKEN": "all"])
        let rate = try server.ask(
            "POST", "/v1/spaces/common/catalog/setDiscount", #"{"rate": 0.25}"#, ["Authorization": "Bearer all"])
        #expect(rate.status == 200)
        let path = "/v1/spaces/shop/catalog/discountRate/why"
        let all = try server.ask("GET", path, nil, ["Authorization": "Bearer all"])
        #expect(try told(all) == ["catalog.discountRate@common <- catalog/setDiscount 1"])
        #expect(all.text.contains(#""input":{"rate":0.25}"#))
        let some = try server.ask("GET", path, nil, ["Authorization": "Bearer reader"])
        #expect(try told(some) == ["catalog.discountRate@common <- catalog/setDiscount 1"])
        #expect(!some.text.contains("input"))
        #expect(
            try server.ask("GET", "/v1/spaces/other/catalog/discountRate/why", nil, ["Authorization": "Bearer reader"])
                .status == 403)
    }

    @Test func `why of a view of single rows lists the last commit of each row`() throws {
        let server = try Service("--memory", "--threads", "1")
        for product in [1, 2, 1, 2] { try act(server, "a/cart/add", "{\"productId\": \(product)}") }
        try act(server, "a/cart/clear", "{}")
        try act(server, "common/catalog/setDiscount", #"{"rate": 0.5}"#)
        try act(server, "a/cart/add", #"{"productId": 2}"#)
        func orders(_ product: Int) throws -> String {
            let answer = try server.ask("GET", "/v1/spaces/a/cart/order/why?productId=\(product)")
            guard case .array(let variables)? = try answer.json["variables"],
                let own = variables.first(where: { $0["variable"] == "cart.orders" })
            else { throw Trouble("no origin: \(answer)") }
            let commit = own["commit"]
            return "\(own["entry"].text) \(commit?["version"]?.integer ?? 0) \(commit?["common"]?.integer ?? -1)"
        }
        #expect(try orders(2) == "2 6 1")
        // The removal of all rows changes each of them.
        #expect(try orders(1) == "1 5 0")
        let graph = try server.ask("GET", "/v1/spaces/a/graph")
        #expect(graph.status == 200)
    }

    @Test func `why of a definition's view lists the commits of its sources`() throws {
        let server = try Service("--memory", "--threads", "1")
        try act(server, "a/user/logIn", #"{"name": "Ada"}"#)
        let put = try server.ask("PUT", "/v1/spaces/a/streams/loud", #"{"source": {"view": "user.title"}}"#)
        #expect(put.status == 201 || put.status == 200, "\(put)")
        let answer = try server.ask("GET", "/v1/spaces/a/streams/loud/why")
        #expect(
            try told(answer).prefix(2) == ["user.isLoggedIn@a <- user/logIn 1", "user.name@a <- user/logIn 1"])
        #expect(try answer.json["view"] == "streams.loud")
        #expect(answer.text.contains(#""by":{"sub":""}"#))
        #expect(try server.ask("GET", "/v1/spaces/a/streams/none/why").isProblem("no-such-view", 404))
    }

    @Test func `why finds a commit however many have followed`() throws {
        let scratch = try Scratch()
        let server = try Service("--data", scratch.data, "--durability", "none", "--threads", "1")
        try act(server, "a/user/logIn", #"{"name": "Ada"}"#)
        let actor = try server.connect()
        for product in [1, 2, 3] {
            for _ in 0..<800 {
                try actor.send(Request.text("POST", "/v1/spaces/a/cart/add", "{\"productId\": \(product)}"))
            }
            for _ in 0..<800 { #expect(try actor.response().status == 200) }
        }
        let answer = try server.ask("GET", "/v1/spaces/a/user/title/why")
        #expect(try told(answer) == ["user.isLoggedIn@a <- user/logIn 1", "user.name@a <- user/logIn 1"])
    }

    @Test func `why searches many commits and reports how far`() throws {
        let server = try Service.shared()
        try act(server, "why-2/user/logIn", #"{"name": "Ada"}"#)
        let actor = try server.connect()
        for _ in 0..<600 { try actor.send(Request.text("POST", "/v1/spaces/why-2/cart/add", #"{"productId": 1}"#)) }
        for _ in 0..<600 { #expect(try actor.response().status == 200) }
        let answer = try server.ask("GET", "/v1/spaces/why-2/user/title/why")
        #expect(try told(answer) == ["user.isLoggedIn@why-2 <- user/logIn 1", "user.name@why-2 <- user/logIn 1"])
        #expect(
            try told(server.ask("GET", "/v1/spaces/why-2/cart/numberOfItems/why")) == [
                "cart.orders@why-2 <- cart/add 601"
            ])
    }

    @Test func `why reports that a commit older than the history was not found`() throws {
        let server = try Service("--memory", "--history", "10")
        try act(server, "a/user/logIn", #"{"name": "Ada"}"#)
        for _ in 0..<40 { try act(server, "a/cart/add", #"{"productId": 1}"#) }
        #expect(try server.ask("GET", "/v1/spaces/a/changes?since=0").status == 410)
        #expect(
            try told(server.ask("GET", "/v1/spaces/a/user/title/why"))
                == ["user.isLoggedIn@a not found", "user.name@a not found"])
        #expect(try told(server.ask("GET", "/v1/spaces/a/cart/numberOfItems/why")) == ["cart.orders@a <- cart/add 41"])
    }

    @Test func `only views have why, and both paths are read-only`() throws {
        let server = try Service.shared()
        #expect(try server.ask("GET", "/v1/spaces/a/user/logIn/why").status == 404)
        #expect(try server.ask("GET", "/v1/spaces/a/user/nothing/why").isProblem("no-such-view", 404))
        #expect(try server.ask("GET", "/v1/spaces/common/user/title/why").status == 404)
        #expect(try server.ask("POST", "/v1/spaces/a/user/title/why", "{}")["Allow"] == "GET, HEAD, OPTIONS")
        #expect(try server.ask("DELETE", "/v1/spaces/a/graph").status == 405)
    }
}

extension Optional where Wrapped == JSON {
    /// The string, or an empty text for another value.
    fileprivate var text: String { if case .string(let text)? = self { text } else { "" } }
}
