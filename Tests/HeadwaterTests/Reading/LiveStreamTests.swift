import Foundation
import Glibc
import JSON
import Testing

/// Live streams over real sockets, with spaces on several loops.
@Suite struct LiveStreamTests {
    private static let spaces = (0..<6).map { "live\($0)" }

    /// Folds events into the values that a client has.
    private struct Folded {
        var values: [String: JSON] = [:]
        var versions: [String: [Int]] = [:]
        var lastID: String?
        var events = 0

        mutating func take(_ event: Event) throws {
            guard case .object(let members) = try JSON(parsing: Array(try #require(event.data).utf8)) else { return }
            events += 1
            if event.name == "reset" { return values = [:] }
            lastID = event.id
            for entry in members {
                let (name, member) = (entry.key, entry.value)
                if name == "_versions" {
                    guard case .object(let versions) = member else { continue }
                    for entry in versions { try take(entry.value, of: entry.key) }
                } else if event.name == "patch" {
                    let patch = try JSONPatch(parsing: member.json())
                    values[name] = try patch.applied(to: try #require(values[name]))
                } else {
                    values[name] = member
                }
            }
        }

        private mutating func take(_ text: JSON, of space: String) throws {
            guard case .string(let text) = text else { throw Trouble("versions are texts") }
            let numbers = text.split(separator: ".").compactMap { Int($0) }
            #expect(numbers.count == (space == "common" ? 1 : 2))
            for (old, new) in zip(versions[space] ?? [], numbers) { #expect(old <= new, "versions never go down") }
            versions[space] = numbers
        }
    }

    private func query(_ views: [String], _ spaces: [String] = spaces) -> String {
        spaces.flatMap { space in views.map { "watch=\(space)/\($0)" } }.joined(separator: "&")
    }

    private func act(_ server: Service, _ space: String, _ action: String, _ body: String) throws -> Int {
        let answer = try server.ask("POST", "/v1/spaces/\(space)/\(action)", body)
        try #require(answer.status == 200)
        return try answer.json["version"]?.integer ?? 0
    }

    // Law H15: one event, though the spaces are on two loops.
    @Test func `a commit in common is one event for all spaces that it changes`() throws {
        let server = try Service("--memory", "--threads", "2")
        for space in Self.spaces { _ = try act(server, space, "cart/add", #"{"productId": 1}"#) }
        let client = try server.stream("/v1/live?" + query(["cart.totalPrice"]) + "&watch=common/catalog.products")
        var folded = Folded()
        try folded.take(try #require(try client.event()))
        #expect(folded.values.count == 7)
        for price in 1...30 {
            _ = try act(server, "common", "catalog/put", "{\"id\": 1, \"name\": \"Cup\", \"price\": \(price)}")
            let event = try #require(try client.event())
            try folded.take(event)
            for space in Self.spaces {
                #expect(folded.values["\(space)/cart.totalPrice"]?.integer == price, "all at once: \(event.data ?? "")")
            }
        }
        #expect(folded.events == 31)
    }

    // Law H15, and the law of patches: what a client folds is what a fresh GET answers.
    @Test(arguments: ["", "&delta=json-patch"], [nil, 4_096] as [Int32?])
    func `random histories give every reader the values of a fresh GET`(_ delta: String, _ room: Int32?) throws {
        let server = try Service("--memory", "--threads", "2")
        let views = ["cart.orders", "cart.totalPrice", "user.title", "catalog.products"]
        let client = try server.stream("/v1/live?" + query(views) + delta, receiveBytes: room)
        var folded = Folded()
        try folded.take(try #require(try client.event()))
        var state: UInt64 = 7
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var versions: [String: Int] = [:]
        for _ in 0..<400 {
            let space = Self.spaces[random(Self.spaces.count)]
            switch random(4) {
            case 0: versions[space] = try act(server, space, "user/logIn", "{\"name\": \"Ada \(random(1_000))\"}")
            case 1:
                versions["common"] = try act(
                    server, "common", "catalog/put",
                    "{\"id\": \(1 + random(8)), \"name\": \"Cup \(random(90))\", \"price\": \(random(50))}")
            default:
                versions[space] = try act(server, space, "cart/add", "{\"productId\": \(1 + random(5))}")
            }
        }
        for space in Self.spaces {
            _ = try act(server, space, "user/logIn", #"{"name": "the last"}"#)
        }
        while !Self.spaces.allSatisfy({ folded.values["\($0)/user.title"] == "the last" }) {
            try folded.take(try #require(try client.event()))
        }
        for space in Self.spaces {
            for view in views {
                let path = view.replacing(".", with: "/")
                let fresh = try server.ask("GET", "/v1/spaces/\(space)/\(path)").json
                #expect(folded.values["\(space)/\(view)"] == fresh, "\(space)/\(view)")
            }
        }
        if room != nil, delta.isEmpty { #expect(folded.events < 400) }
    }

    @Test func `a stream that begins after an answer shows the action, on whichever loop`() throws {
        let server = try Service("--memory", "--threads", "2")
        // Streams that stay open keep the values of both loops.
        let others = try (0..<4).map { _ in try server.stream("/v1/live?" + query(["user.title"])) }
        for client in others { _ = try client.event() }
        for round in 0..<40 {
            let space = Self.spaces[round % Self.spaces.count]
            let version = try act(server, space, "user/logIn", "{\"name\": \"Ada \(round)\"}")
            var folded = Folded()
            try folded.take(
                try #require(try server.stream("/v1/live?" + query(["user.title"])).event()))
            #expect(folded.values["\(space)/user.title"] == .string("Ada \(round)"))
            #expect(folded.versions[space]?.first == version)
        }
    }

    @Test func `a space that is deleted while it is watched brings a reset and all values`() throws {
        let server = try Service("--memory", "--threads", "2")
        _ = try act(server, "live0", "user/logIn", #"{"name": "Ada"}"#)
        _ = try act(server, "live1", "user/logIn", #"{"name": "Bo"}"#)
        let client = try server.stream("/v1/live?" + query(["user.title"], ["live0", "live1"]))
        let first = try #require(try client.event())
        #expect(try server.ask("DELETE", "/v1/spaces/live0").status == 204)
        let reset = try #require(try client.event())
        #expect(reset.name == "reset" && reset.data == "{}" && reset.id == nil)
        let anew = try #require(try client.event())
        #expect(
            anew.data
                == #"{"live0/user.title":"Logged out","live1/user.title":"Bo","_versions":{"live0":"0.0","live1":"1.0"}}"#
        )
        #expect(anew.id != first.id)
    }

    @Test func `a stream ends when its token no longer covers a space`() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tokens-\(UUID().uuidString)")
        // The SHA-256 of "secret".
        let digest = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
        try "\(digest) read,act live*\n".write(to: file, atomically: true, encoding: .utf8)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
        let server = try Service("--memory", "--threads", "2", "--tokens", file.path)
        let token = ["Authorization": "Bearer secret"]
        let client = try server.stream("/v1/live?" + query(["user.title"]), token)
        _ = try client.event()
        try "\(digest) read,act live0\n".write(to: file, atomically: true, encoding: .utf8)
        server.program.kill(SIGHUP)
        #expect(try client.event() == nil)
        let again = try server.ask(
            "GET", "/v1/live?" + query(["user.title"]), nil, token.merging(["Accept": "text/event-stream"]) { $1 })
        #expect(again.status == 403)
    }

    @Test func `a token has at most as many live streams as streams`() throws {
        let server = try Service(
            "--memory", "--threads", "2", "--max-streams", "3", environment: ["HEADWATER_TOKEN": "t"])
        let fields = ["Authorization": "Bearer t", "Accept": "text/event-stream"]
        var open = try (0..<3).map { _ in try server.stream("/v1/live?" + query(["user.title"]), fields) }
        #expect(try server.ask("GET", "/v1/live?" + query(["user.title"]), nil, fields).status == 429)
        open.removeAll()
        #expect(
            try server.eventually {
                try server.ask("GET", "/metrics", nil, fields).text.contains("\nheadwater_streams_active 0\n")
            })
        _ = try server.stream("/v1/live?" + query(["user.title"]), fields)
    }
}
