import Foundation
import JSON
import Testing

/// The pages of `Examples/documents`: the real server, with the requests that each page makes.
@Suite struct PagesTests {
    private static func directory(_ name: String) -> String {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return root.appending(path: "Examples/documents/\(name)").path
    }

    /// A server of a page, and the values that the page has from its stream.
    private final class PageStand {
        let server: Service
        private let feature: String
        private let stream: Client
        private var values: [String: JSON] = [:]

        /// Opens the stream whose query the page makes from a list in its text.
        init(_ name: String, of feature: String, presence: String = "") throws {
            server = try Service(
                "--memory", "--examples", "none", "--features", directory(name), "--site", directory(name))
            self.feature = feature
            let page = try server.ask("GET", "/").text
            let list = try #require(try /const query = \[(.*?)\]/.firstMatch(in: page)).1
            let views = list.matches(of: /'(\w+)'/).map { "view=\(feature).\($0.1)" }.joined(separator: "&")
            stream = try server.stream("/v1/spaces/main/views?delta=json-patch&\(views)\(presence)")
            let first = try #require(try stream.event())
            values = try Self.members(JSON(parsing: Array((first.data ?? "").utf8)))
        }

        private static func members(_ json: JSON) -> [String: JSON] {
            guard case .object(let object) = json else { return [:] }
            return Dictionary(object.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        }

        subscript(view: String) -> JSON { values["\(feature).\(view)"] ?? .null }

        /// Performs an action, as the page does.
        @discardableResult
        func act(_ action: String, _ input: String = "{}") throws -> Response {
            try server.ask("POST", "/v1/spaces/main/\(feature)/\(action)", input)
        }

        /// Takes events until the values fulfil a condition.
        func wait(_ isReached: () -> Bool) throws {
            while !isReached() {
                let event = try #require(try stream.event())
                let news = try Self.members(JSON(parsing: Array((event.data ?? "").utf8)))
                for (name, value) in news {
                    if event.name == "patch" {
                        values[name] = try JSONPatch(parsing: value.json()).applied(to: values[name] ?? .null)
                    } else {
                        values[name] = value
                    }
                }
            }
        }
    }

    @Test func `the page of the auction offers lots and bids`() throws {
        let page = try PageStand("auction", of: "bidding")
        #expect(page["lots"] == [] && page["sold"] == 0)
        let offered = try page.act("offer", #"{"title": "Violin", "minutes": 60}"#)
        guard case .string(let id)? = try offered.json["result"] else { throw Trouble("no lot: \(offered)") }
        try page.wait { page["lots"][0]?["title"] == "Violin" }
        #expect(try page.act("bid", #"{"lot": "\#(id)", "bidder": "Ada", "amount": 1}"#).status == 200)
        try page.wait { page["lots"][0]?["bidder"] == "Ada" }
        #expect(page["lots"][0]?["bid"] == 1 && page["lots"][0]?["id"] == .string(id))
        let low = try page.act("bid", #"{"lot": "\#(id)", "bidder": "Bob", "amount": 1}"#)
        #expect(low.status == 409 && low.text.contains("a bid must be more than 1"))
        // Clients have all rights on a server without tokens, and rules bind them all the same.
        #expect(try page.act("close", #"{"lot": "\#(id)"}"#).status == 403)
    }

    @Test func `the page of the calendar books, waits and cancels`() throws {
        let page = try PageStand("booking", of: "booking")
        func booking(_ by: String, _ from: String, _ to: String, orWait: Bool = false) throws -> Response {
            try page.act(
                "book",
                #"{"room": "Oak", "from": "2026-02-01T\#(from):00.000Z", "to": "2026-02-01T\#(to):00.000Z", "#
                    + #""by": "\#(by)", "orWait": \#(orWait)}"#)
        }
        guard case .string(let id)? = try booking("Ada", "10:00", "11:00").json["result"]?["id"] else {
            throw Trouble("no booking")
        }
        try page.wait { page["calendar"][0]?["by"] == "Ada" }
        let refused = try booking("Bob", "10:30", "11:30")
        #expect(refused.status == 409 && refused.text.contains("Oak is booked then by Ada"))
        #expect(try booking("Bob", "10:30", "11:30", orWait: true).status == 200)
        try page.wait { page["waiting"][0]?["by"] == "Bob" }
        #expect(try page.act("cancel", #"{"id": "\#(id)"}"#).status == 200)
        try page.wait { page["calendar"][0]?["by"] == "Bob" }
        #expect(page["waiting"] == [])
    }

    @Test func `the page of the board shows who is here, and moves pointers without commits`() throws {
        let page = try PageStand("board", of: "board", presence: "&presence=board.here&as=Ada")
        try page.wait { page["here"][0]?["name"] == "Ada" }
        let added = try page.act("add", #"{"text": "Tea"}"#)
        guard case .string(let id)? = try added.json["result"] else { throw Trouble("no card: \(added)") }
        try page.act("vote", #"{"id": "\#(id)"}"#)
        try page.wait { page["votes"] == 1 }
        #expect(page["cards"] == [["id": .string(id), "text": "Tea", "votes": 1]])
        let moved = try page.act("move", #"{"name": "Ada", "x": 0.25, "y": 0.5}"#)
        #expect(try moved.json["version"] == 2)
        try page.wait { page["here"][0]?["x"] == 0.25 }
        #expect(try page.act("move", #"{"name": "Bob", "x": 0.25, "y": 0.5}"#).status == 409)
        try page.act("rename", #"{"topic": "Drinks"}"#)
        try page.wait { page["topic"] == "Drinks" }
    }
}
