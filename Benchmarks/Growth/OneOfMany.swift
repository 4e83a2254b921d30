import Foundation
import Glibc

/// The cost of one thing beside many of its kind: of an action beside many features, of a read beside many tokens.
///
/// Each row is the processor time that a request takes in the server, beside many and beside ten.
struct OneOfMany {
    private static let seconds = 1.0
    private static let few = 10
    /// The maximum growth. Repetitions of one measurement differ by a fifth. Rows are in trees, so a row costs O(log n).
    private static let (allowed, allowedOfRows) = (1.5, 3.0)

    /// Runs the measurements that have `name` in their name.
    static func print(only name: String = "") {
        GrowthRow.begin("us of one request beside many of a kind and beside ten")
        for (what, many, measure) in measurements where name.isEmpty || what.contains(name) {
            // Alternating, so that both see the same machine.
            var pairs: [(Double, Double)] = []
            for _ in 0..<3 { pairs.append((measure(many), measure(few))) }
            let middle = pairs.sorted { $0.0 / $0.1 < $1.0 / $1.1 }[1]
            GrowthRow.print("\(what), \(many)", middle.0, middle.1, what.contains("rows") ? allowedOfRows : allowed)
        }
    }

    private static var measurements: [(name: String, many: Int, measure: (Int) -> Double)] {
        [
            ("a read beside tokens in the file", 10_000, tokens),
            ("an action beside features", 1_000, features),
            ("an action beside views of its feature", 256, views),
            ("an action beside definitions of its space", 100, definitions),
            ("a read beside open connections", 10_000, connections),
            ("an action beside streams of other views of its space", 10_000, { streams($0, "main") }),
            ("an action beside streams of another space", 10_000, { streams($0, "other") }),
            ("an action with a key beside kept keys", 10_000, keys),
            ("an action on one row beside rows of its table", 100_000, rows),
            ("an action beside loaded spaces", 10_000, spaces),
            ("an action beside hooks of other spaces", 1_000, hooks),
        ]
    }

    // MARK: Requests

    private static let read = ServerMeasurements.request("GET", "/v1/spaces/main/user/name")

    private static func save(_ number: Int) -> [UInt8] {
        ServerMeasurements.request("POST", "/v1/spaces/main/user/save", "{\"name\":\"\(10_000_000 + number)\"}")
    }

    private static func server(_ arguments: String...) -> ServerProcess {
        ServerProcess("headwater", ["--port", "0", "--threads", "1", "--memory"] + arguments)
    }

    /// The processor time of a request, in microseconds, on 16 connections.
    private static func perRequest(_ server: ServerProcess, _ next: (Int) -> [UInt8]) -> Double {
        let client = LoadClient(16, to: server.port)
        var number = 0
        func request(_ connection: Int) -> [UInt8] {
            number += 1
            return next(number)
        }
        _ = client.requests(request, seconds: 0.2)
        let before = server.nanoseconds
        let answered = client.requests(request, seconds: seconds)
        return (server.nanoseconds - before) / Double(answered) / 1e3
    }

    /// Sends requests one after the other.
    private static func send(_ server: ServerProcess, _ count: Int, _ next: (Int) -> [UInt8]) {
        let client = LoadClient(1, to: server.port)
        for number in 0..<count {
            client.send(next(number), on: 0)
            var isAnswered = false
            while !isAnswered { client.receive(answer: { _ in isAnswered = true }, event: { _ in }) }
        }
    }

    private static func write(_ text: String, to path: String) {
        sure { try text.write(toFile: path, atomically: false, encoding: .utf8) }
    }

    // MARK: Kinds

    private static func tokens(_ count: Int) -> Double {
        let scratch = Scratch()
        // The SHA-256 of "secret" is the last one.
        var lines = (1..<count).map { number in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 64 - digits.count) + digits + " read person-\(number)"
        }
        lines.append("2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b read main")
        write(lines.joined(separator: "\n") + "\n", to: scratch.path + "/tokens")
        let server = server("--tokens", scratch.path + "/tokens")
        let read = ServerMeasurements.request(
            "GET", "/v1/spaces/main/user/name", nil, ["Authorization: Bearer secret"])
        return perRequest(server) { _ in read }
    }

    private static func document(_ name: String, views: Int) -> String {
        let views = (0..<views).map { #""view\#($0)":{"expression":"state.count + \#($0)"}"# }.joined(separator: ",")
        return #"""
            {"feature":"\#(name)","home":"space","state":{"count":{"value":{"type":"integer"},"initial":0},
            "cards":{"table":{"key":{"type":"string"},"row":{"type":"integer"}}}},
            "actions":{"add":{"do":[{"set":"count","to":"state.count + 1"}]},
            "fill":{"input":{"type":"object","properties":{"from":{"type":"integer"}},"required":["from"]},
            "do":[{"each":"lists.range(1000)","as":"n","do":[{"put":"cards","key":"string(input.from + n)","row":"n"}]}]},
            "put":{"input":{"type":"object","properties":{"key":{"type":"string"},"row":{"type":"integer"}},
            "required":["key","row"]},"do":[{"put":"cards","key":"input.key","row":"input.row"}]}},
            "views":{\#(views)}}
            """#
    }

    private static func serving(_ documents: [(name: String, text: String)], in scratch: Scratch) -> ServerProcess {
        for (name, text) in documents { write(text, to: "\(scratch.path)/\(name).json") }
        return server("--features", scratch.path)
    }

    private static func features(_ count: Int) -> Double {
        let scratch = Scratch()
        let server = serving((0..<count).map { ("counter\($0)", document("counter\($0)", views: 1)) }, in: scratch)
        let add = ServerMeasurements.request("POST", "/v1/spaces/main/counter7/add", "{}")
        return perRequest(server) { _ in add }
    }

    private static func views(_ count: Int) -> Double {
        let scratch = Scratch()
        let server = serving([("counter", document("counter", views: count))], in: scratch)
        let add = ServerMeasurements.request("POST", "/v1/spaces/main/counter/add", "{}")
        return perRequest(server) { _ in add }
    }

    private static func rows(_ count: Int) -> Double {
        let scratch = Scratch()
        let server = serving([("counter", document("counter", views: 1))], in: scratch)
        send(server, max(1, count / 1_000)) {
            ServerMeasurements.request("POST", "/v1/spaces/main/counter/fill", "{\"from\":\($0 * 1_000)}")
        }
        return perRequest(server) {
            ServerMeasurements.request("POST", "/v1/spaces/main/counter/put", "{\"key\":\"7\",\"row\":\($0)}")
        }
    }

    private static func definitions(_ count: Int) -> Double {
        let server = server()
        send(server, count) { number in
            ServerMeasurements.request(
                "PUT", "/v1/spaces/main/streams/s\(number)",
                #"{"name":"s\#(number)","source":{"view":"cart.orders"},"operators":[]}"#)
        }
        return perRequest(server, save)
    }

    private static func connections(_ count: Int) -> Double {
        let server = server()
        let idle = LoadClient(count, to: server.port)
        defer { withExtendedLifetime(idle) {} }
        return perRequest(server) { _ in read }
    }

    private static func streams(_ count: Int, _ space: String) -> Double {
        let server = server()
        let watchers = LoadClient(count, to: server.port)
        watchers.subscribe(ServerMeasurements.request("GET", "/v1/spaces/\(space)/cart/orders?events=1"))
        watchers.settle()
        return perRequest(server, save)
    }

    private static func keys(_ count: Int) -> Double {
        let server = server()
        func save(_ number: Int) -> [UInt8] {
            ServerMeasurements.request(
                "POST", "/v1/spaces/main/user/save", "{\"name\":\"\(number)\"}", ["Idempotency-Key: \(UUID())"])
        }
        send(server, count, save)
        return perRequest(server, save)
    }

    private static func spaces(_ count: Int) -> Double {
        let server = server()
        send(server, count) {
            ServerMeasurements.request("POST", "/v1/spaces/space-\($0)/user/save", "{\"name\":\"Ada\"}")
        }
        return perRequest(server, save)
    }

    private static let hook = #"""
        {"source":{"changes":["cart/*"]},"url":"http://127.0.0.1:9/","secret":"whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"}
        """#

    private static func hooks(_ count: Int) -> Double {
        let server = server("--outgoing-allow", "127.0.0.1:9")
        send(server, count) { number in
            ServerMeasurements.request("PUT", "/v1/spaces/other-\(number)/hooks/h", hook)
        }
        return perRequest(server, save)
    }
}
