import Foundation
import JSON
import ServiceInProcess
import Testing

/// Random actions in spaces and in `common`, with evictions, restarts and returns to earlier versions: at every version
/// `?at=` gives what was shown then, and a history has exactly the distinct values.
@Suite struct PastTests {
    /// What a view showed.
    struct Shown: Equatable {
        let body: String
        let tag: String
    }

    /// A moment of a space at which its views were read.
    struct ShownMoment {
        let version: Int
        let common: Int
        let time: String
        /// True if the moment was the first of its version.
        let isFirst: Bool
        let values: [String: Shown]
    }

    /// A service whose views are recorded after every step.
    struct Recording {
        var service: ServiceInProcess
        var entropy: Entropy
        let directory: String?
        var versions = ["a": 0, "b": 0]
        var common = 0
        /// The moments of each space, oldest first.
        var moments: [String: [ShownMoment]] = ["a": [], "b": []]

        /// Views of the space, of both, of `common`, of several, lists with windows, views with parameters, streams.
        static let paths = [
            "cart/numberOfItems", "cart/orders", "cart/totalPrice", "user/title", "catalog/products",
            "catalog/products?limit=2", "catalog/product?id=2", "streams/double/value", "streams/count/value",
            "streams",
            "views?view=cart.totalPrice&view=user.name", "views?view=streams.double&view=catalog.discountRate",
        ]

        init(seed: UInt64, directory: String? = nil) throws {
            self.directory = directory
            service = try ServiceInProcess(directory: directory, history: 1_000)
            service.idleLimit = 1
            entropy = Entropy(seed: seed)
            for space in versions.keys.sorted() { try note(space, isFirst: true) }
        }

        mutating func act(_ space: String, _ line: String, _ body: String) throws {
            service.advance(seconds: 1)
            let reply = try service.ask("\(line.hasPrefix("PUT") ? "" : "POST ")\(line)", [:], body)
            try #require(reply.status == 200, "\(line) \(body) \(reply)")
            guard case .number(let number)? = try reply.json["version"], let version = Int("\(number)") else { return }
            if space == "common" {
                guard version > common else { return }
                common = version
                for space in versions.keys.sorted() { try note(space, isFirst: false) }
            } else if version > versions[space] ?? 0 {
                versions[space] = version
                try note(space, isFirst: true)
            }
        }

        /// Reads all views of a space, and remembers them.
        mutating func note(_ space: String, isFirst: Bool) throws {
            var values: [String: Shown] = [:]
            for path in Self.paths {
                let reply = try service.ask("GET /v1/spaces/\(space)/\(path)")
                // Only a stream can be missing.
                if reply.status == 404, path.contains("streams") { continue }
                try #require(reply.status == 200, "\(path) \(reply)")
                values[path] = Shown(body: reply.body, tag: try #require(reply["ETag"]))
            }
            let changed = isFirst ? space : "common"
            let version = isFirst ? versions[space] ?? 0 : common
            var time = ""
            if version > 0 {
                let rows = try service.ask("GET /v1/spaces/\(changed)/changes?since=\(version - 1)").json
                if case .array(let rows) = rows, case .string(let at)? = rows.last?["at"] { time = at }
            }
            moments[space]?.append(
                ShownMoment(
                    version: versions[space] ?? 0, common: common, time: time, isFirst: isFirst, values: values))
        }

        mutating func step() throws {
            let space = entropy.one(of: ["a", "b"])
            let path = "/v1/spaces/\(space)"
            switch entropy.below(15) {
            case 0, 1, 2, 3:
                try act(space, "\(path)/cart/add", #"{"productId": \#(1 + entropy.below(3)), "quantity": 2}"#)
            case 4: try act(space, "\(path)/cart/clear", "{}")
            case 5: try act(space, "\(path)/user/logIn", #"{"name": "N\#(entropy.below(3))"}"#)
            case 6, 7, 8:
                try act(
                    "common", "/v1/spaces/common/catalog/put",
                    #"{"id": \#(1 + entropy.below(4)), "name": "Drum", "price": \#(entropy.below(5))}"#)
            case 9:
                let factor = 2 + entropy.below(2)
                try act(
                    space, "PUT \(path)/streams/double",
                    #"{"source": {"view": "cart.totalPrice"}, "operators": [{"map": {"expression": "value * \#(factor)"}}]}"#
                )
            case 10: try restore(space)
            case 11:
                let start = 10 * entropy.below(3)
                try act(
                    space, "PUT \(path)/streams/count",
                    #"{"source": {"view": "cart.numberOfItems"}, "operators": [{"scan": {"initialValue": \#(start), "expression": "accumulated + value"}}]}"#
                )
            case 12: try restart()
            default: try check(space, entropy.below(moments[space]?.count ?? 1))
            }
        }

        /// Returns to an earlier version. What depends on nothing else is what it was, memory too.
        mutating func restore(_ space: String) throws {
            let version = entropy.below(1 + (versions[space] ?? 0))
            try act(space, "/v1/spaces/\(space)/restore", #"{"version": \#(version)}"#)
            let then = moments[space]?.first { $0.version == version && $0.isFirst }
            let now = moments[space]?.last
            for path in ["cart/numberOfItems", "user/title", "streams", "streams/count/value"] {
                #expect(now?.values[path]?.body == then?.values[path]?.body, "\(space) \(path) of \(version)")
            }
        }

        mutating func restart() throws {
            guard let directory else { return }
            let time = service.close()
            service = try ServiceInProcess(directory: directory, history: 1_000, startingAt: time)
            service.idleLimit = 1
        }

        // MARK: Checks

        /// Reads the views of a moment in each form of `at`.
        func check(_ space: String, _ index: Int) throws {
            guard let moment = moments[space]?[index] else { return }
            for path in Self.paths {
                let shown = moment.values[path]
                var points = ["\(moment.version).\(moment.common)"]
                if moment.isFirst, moment.version > 0 { points.append("\(moment.version)") }
                if !moment.time.isEmpty { points.append(moment.time) }
                if let shown { points.append(shown.tag.replacing("\"", with: "")) }
                for point in points {
                    let separator = path.contains("?") ? "&" : "?"
                    let reply = try service.ask("GET /v1/spaces/\(space)/\(path)\(separator)at=\(point)")
                    guard let shown else {
                        #expect(reply.status == 404, "\(space) \(path) at \(point): \(reply)")
                        continue
                    }
                    #expect(reply.body == shown.body, "\(space) \(path) at \(point)")
                    #expect(reply["ETag"] == shown.tag, "\(space) \(path) at \(point)")
                }
            }
        }

        /// Reads the history of each view, at once and in pages.
        func checkHistories(_ space: String) throws {
            for path in Self.paths where !path.contains("views?") && !path.contains("limit=") && path != "streams" {
                let (own, query) = Self.history(path)
                let known = moments[space] ?? []
                var expected: [String] = []
                var last = known.first?.values[path]?.body
                for moment in known.dropFirst() {
                    let value = moment.values[path]?.body
                    defer { last = value }
                    guard let value, value != last else { continue }
                    expected.append("\(moment.version).\(moment.common) \(moment.time) \(value)")
                }
                let target = "GET /v1/spaces/\(space)/\(own)/history?\(query)"
                let whole = try service.ask("\(target)limit=1000")
                #expect(try Self.rows(whole) == expected, "\(space) \(path)")
                var paged: [String] = []
                var since = ""
                while true {
                    let page = try Self.rows(try service.ask("\(target)limit=3&since=\(since)"))
                    paged += page
                    guard let last = page.last else { break }
                    since = String(last.prefix { $0 != " " })
                }
                #expect(paged == expected, "\(space) \(path)")
            }
        }

        /// The path of a view's history, and the view's parameters.
        static func history(_ path: String) -> (path: String, query: String) {
            if path.hasSuffix("/value") { return (String(path.dropLast(6)), "") }
            let parts = path.split(separator: "?")
            return (String(parts[0]), parts.count > 1 ? "\(parts[1])&" : "")
        }

        static func rows(_ reply: Reply) throws -> [String] {
            guard reply.status == 200, case .array(let rows) = try reply.json else {
                throw StreamFault(description: "\(reply)")
            }
            return try rows.map { row in
                guard case .number(let version)? = row["version"], case .number(let common)? = row["common"],
                    case .string(let time)? = row["at"], let value = row["value"]
                else { throw StreamFault(description: "\(row)") }
                return "\(version).\(common) \(time) \(String(decoding: try value.json(), as: UTF8.self))"
            }
        }

        /// Applies the patches of a difference to the views of one moment, and compares with those of the other.
        mutating func checkDifference(_ space: String) throws {
            let known = moments[space] ?? []
            let (one, other) = (entropy.one(of: known), entropy.one(of: known))
            let path = "views?view=cart.totalPrice&view=user.name"
            let (from, to) = (try #require(one.values[path]), try #require(other.values[path]))
            let reply = try service.ask(
                "GET /v1/spaces/\(space)/views/diff?from=\(one.version).\(one.common)&to=\(other.version).\(other.common)"
                    + "&view=cart.totalPrice&view=user.name")
            var client = PatchedClient(isSingle: false)
            try client.take(nil, nil, from.body)
            try client.apply(try reply.json)
            #expect(try client.value == JSON(parsing: Array(to.body.utf8)), "\(reply)")
        }
    }

    struct StreamFault: Error, CustomStringConvertible {
        let description: String
    }

    // Laws PAST1, PAST2, PAST4
    @Test(arguments: 1...2) func `at every version the views are what they were then`(_ seed: UInt64) throws {
        var recording = try Recording(seed: seed)
        for _ in 0..<40 { try recording.step() }
        for space in ["a", "b"] {
            for index in recording.moments[space]?.indices ?? 0..<0 { try recording.check(space, index) }
            try recording.checkHistories(space)
            for _ in 0..<10 { try recording.checkDifference(space) }
        }
    }

    // Laws PAST1, PAST2
    @Test func `the past survives restarts`() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("headwater-" + UUID().uuidString)
            .path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var recording = try Recording(seed: 5, directory: directory)
        for _ in 0..<30 { try recording.step() }
        try recording.restart()
        for space in ["a", "b"] {
            for index in recording.moments[space]?.indices ?? 0..<0 { try recording.check(space, index) }
            try recording.checkHistories(space)
        }
    }
}
