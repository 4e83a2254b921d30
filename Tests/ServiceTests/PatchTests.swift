import JSON
import ServiceInProcess
import StateStore
import Testing

@testable import HeadwaterServer

/// Readers that take patches in place of values.
@Suite struct PatchTests {
    /// One reader, and the connection that it has now.
    struct Reader {
        let space: String
        let path: String
        let isSlow: Bool
        var connection: ConnectionInProcess
        var client: PatchedClient
        /// The last events that came, each with its data.
        var latest: [String] = []

        /// What a failure shows: the views that differ, as the client and as a fresh read have them, and the last events.
        func difference(from fresh: JSON) -> Comment {
            var parts: [String] = []
            if case .object(let mine)? = client.value, case .object(let all) = fresh {
                for member in all where mine[member.key] != member.value {
                    parts.append("\(member.key): \(mine[member.key] ?? .null) in place of \(member.value)")
                }
            } else {
                parts.append("\(path): \(client.value ?? .null) in place of \(fresh)")
            }
            return Comment(rawValue: (parts + latest).joined(separator: "\n"))
        }
    }

    /// A history of random actions, with readers that come, stay behind, go and come back.
    struct History {
        static let paths = [
            "catalog/products", "cart/orders", "cart/totalPrice", "user/title",
            "views?view=catalog.products&view=cart.orders&view=user.title",
        ]

        let service: ServiceInProcess
        var entropy: Entropy
        var readers: [Reader] = []
        var patchCount = 0
        var resumedCount = 0
        /// A client that looks with `A-IM`, for each path.
        var lookers: [String: (client: PatchedClient, tag: String)] = [:]
        var deltaCount = 0

        init(seed: UInt64) throws {
            service = try ServiceInProcess()
            entropy = Entropy(seed: seed)
            for id in 100..<160 { try put(id, 1) }
        }

        func put(_ id: Int, _ price: Int) throws {
            let name = String(repeating: "n", count: 60)
            let body = "{\"id\": \(id), \"name\": \"\(name)\", \"price\": \(price)}"
            #expect(try service.ask("POST /v1/spaces/common/catalog/put", [:], body).status == 200)
        }

        mutating func act() throws {
            let product = 100 + entropy.below(70)
            let item = "{\"productId\": \(product)}"
            switch entropy.below(12) {
            case 0, 1, 2: try put(product, entropy.below(9))
            case 3: _ = try service.ask("POST /v1/spaces/common/catalog/remove", [:], "{\"id\": \(product)}")
            case 4, 5, 6: _ = try service.ask("POST /v1/spaces/a/cart/add", [:], item)
            case 7: _ = try service.ask("POST /v1/spaces/a/cart/increment", [:], item)
            case 8: _ = try service.ask("POST /v1/spaces/a/cart/decrement", [:], item)
            case 9: if entropy.isOne(in: 6) { _ = try service.ask("POST /v1/spaces/a/cart/clear") }
            case 10:
                let name = "{\"name\": \"u\(entropy.below(3))\"}"
                _ = try service.ask("POST /v1/spaces/a/user/\(entropy.one(of: ["logIn", "save"]))", [:], name)
            default: if entropy.isOne(in: 10) { _ = try service.ask("DELETE /v1/spaces/a") }
            }
        }

        mutating func open() throws {
            guard readers.count < 6 else { return }
            let path = entropy.one(of: Self.paths)
            var reader = Reader(
                space: "a", path: path, isSlow: entropy.isOne(in: 2), connection: try service.connect(sendBytes: 2_048),
                client: PatchedClient(isSingle: !path.contains("?")))
            begin(&reader)
            readers.append(reader)
        }

        private mutating func begin(_ reader: inout Reader) {
            var fields = ["Accept": "text/event-stream; delta=json-patch"]
            fields["Last-Event-ID"] = reader.client.lastID
            reader.connection.send("GET /v1/spaces/\(reader.space)/\(reader.path)", fields)
            service.settle()
            reader.connection.receive()
            #expect(reader.connection.takeHead()?.contains(" 200 ") == true)
        }

        /// Drops a connection, perhaps with events that were not read, and comes back with the id of the last one.
        mutating func reconnect() throws {
            guard !readers.isEmpty else { return }
            let index = entropy.below(readers.count)
            var reader = readers[index]
            reader.connection = try service.connect(sendBytes: 2_048)
            service.settle()
            for _ in 0..<entropy.below(3) { try act() }
            let values = reader.client.valueCount
            begin(&reader)
            try drain(&reader)
            if reader.client.valueCount == values { resumedCount += 1 }
            readers[index] = reader
        }

        /// Reads everything that comes, and compares the result with a fresh read.
        func drain(_ reader: inout Reader) throws {
            var isOver = false
            while !isOver {
                service.settle()
                // A large event comes in several parts.
                isOver = reader.connection.receive() == 0
                while let text = reader.connection.takeBlock() {
                    let block = StreamBlock(text)
                    if let data = block.data { try reader.client.take(block.name, block.id, data) }
                    reader.latest = reader.latest.suffix(4) + [text]
                }
            }
            let fresh = try service.ask("GET /v1/spaces/\(reader.space)/\(reader.path)")
            let value = try fresh.json
            // The first difference says what went wrong; all later ones follow from it.
            try #require(reader.client.value == value, reader.difference(from: value))
        }

        /// Looks with the tag of the last look, and takes a patch or the value.
        mutating func look() throws {
            let path = entropy.one(of: Self.paths)
            let known = lookers[path]
            var client = known?.client ?? PatchedClient(isSingle: !path.contains("?"))
            var fields = ["A-IM": "json-patch"]
            fields["If-None-Match"] = known?.tag
            let reply = try service.ask("GET /v1/spaces/a/\(path)", fields)
            switch reply.status {
            case 200: client.assign(try reply.json)
            case 226:
                #expect(reply["IM"] == "json-patch" && reply["Delta-Base"] == known?.tag)
                #expect(reply["Cache-Control"] == "no-store")
                try client.apply(try reply.json)
                deltaCount += 1
            default: #expect(reply.status == 304)
            }
            let fresh = try service.ask("GET /v1/spaces/a/\(path)")
            #expect(try client.value == fresh.json, "\(path)")
            #expect(reply.status == 304 || reply["ETag"] == fresh["ETag"])
            lookers[path] = (client, try #require(fresh["ETag"]))
        }

        mutating func step() throws {
            switch entropy.below(8) {
            case 0: try open()
            case 1: try reconnect()
            case 2: try look()
            default: try act()
            }
            for index in readers.indices where !readers[index].isSlow || entropy.isOne(in: 40) {
                try drain(&readers[index])
            }
        }
    }

    // Law W6
    @Test(arguments: UInt64(1)...4)
    func `patches give the value of a fresh read, after conflation and reconnects too`(_ seed: UInt64) throws {
        var history = try History(seed: seed)
        for _ in 0..<250 { try history.step() }
        for index in history.readers.indices {
            try history.drain(&history.readers[index])
            history.patchCount += history.readers[index].client.patchCount
        }
        let metrics = try history.service.ask("GET /metrics").body.split(separator: "\n")
        let conflated = metrics.first { $0.hasPrefix("headwater_frames_conflated_total") }
        #expect(conflated?.hasSuffix(" 0") == false)
        #expect(history.patchCount > 20 && history.resumedCount > 0 && history.deltaCount > 0)
    }

    private func stream(
        _ service: ServiceInProcess, _ path: String, _ fields: [String: String] = [:]
    ) throws -> ConnectionInProcess {
        let connection = try service.connect()
        connection.send("GET \(path)", fields)
        service.settle()
        connection.receive()
        _ = try #require(connection.takeHead())
        _ = try #require(connection.takeBlock())
        return connection
    }

    private func block(_ service: ServiceInProcess, _ connection: ConnectionInProcess) throws -> StreamBlock {
        service.settle()
        connection.receive()
        return StreamBlock(try #require(connection.takeBlock()))
    }

    private func fill(_ service: ServiceInProcess) throws {
        for id in 901...905 {
            let product = "{\"id\": \(id), \"name\": \"A product with a name\", \"price\": 2}"
            _ = try service.ask("POST /v1/spaces/common/catalog/put", [:], product)
            _ = try service.ask("POST /v1/spaces/a/cart/add", [:], "{\"productId\": \(id)}")
        }
    }

    // Law W6
    @Test(arguments: ["?events=1&delta=json-patch", ""])
    func `the first event is whole, and then a patch has what changed`(_ query: String) throws {
        let service = try ServiceInProcess()
        try fill(service)
        let fields = query.isEmpty ? ["Accept": "text/event-stream; delta=json-patch"] : [:]
        let connection = try stream(service, "/v1/spaces/a/cart/orders\(query)", fields)
        let first = try block(service, connection)
        #expect(first.name == nil)
        let answer = try service.ask("POST /v1/spaces/a/cart/increment", [:], #"{"productId": 905}"#)
        let patch = try block(service, connection)
        #expect(patch.name == "patch" && patch.id?.hasPrefix("6.5-") == true && answer.status == 200)
        #expect(patch.data?.contains(#"{"op":"replace","path":"/4/quantity","value":2}"#) == true, "\(patch)")
        #expect((patch.data?.utf8.count ?? 0) * 2 < first.data?.utf8.count ?? 0)
    }

    // Law W6
    @Test func `a value that is shorter than its patch comes whole`() throws {
        let service = try ServiceInProcess()
        try fill(service)
        let single = try stream(service, "/v1/spaces/a/cart/numberOfItems?events=1&delta=json-patch")
        let several = try stream(
            service, "/v1/spaces/a/views?view=cart.numberOfItems&view=cart.orders&events=1&delta=json-patch")
        #expect(try block(service, single).data == "5")
        #expect(try block(service, several).name == nil)
        _ = try service.ask("POST /v1/spaces/a/cart/add", [:], #"{"productId": 901}"#)
        let event = try block(service, single)
        #expect(event.name == nil && event.data == "6")
        let patches = try block(service, several)
        let data = try JSON(parsing: Array((patches.data ?? "").utf8))
        #expect(patches.name == "patch")
        #expect(data["cart.numberOfItems"] == [["op": "replace", "path": "", "value": 6]])
    }

    // Law W6
    @Test func `a look and a long poll get the patch from the value that the client has`() throws {
        let service = try ServiceInProcess()
        try fill(service)
        let path = "/v1/spaces/a/cart/orders"
        let tag = try #require(try service.ask("GET \(path)")["ETag"])
        let add = { try service.ask("POST /v1/spaces/a/cart/increment", [:], #"{"productId": 903}"#) }
        _ = try add()
        let look = try service.ask("GET \(path)", ["A-IM": "json-patch", "If-None-Match": tag])
        #expect(look.status == 226 && look["Delta-Base"] == tag && look["IM"] == "json-patch")
        #expect(look["Vary"]?.contains("A-IM") == true || look.fields.values.contains { $0.contains("A-IM") })
        #expect(look.body.contains(#""path":"/2/quantity""#))
        let poll = try service.connect()
        let now = try #require(look["ETag"])
        poll.send("GET \(path)", ["A-IM": "json-patch", "If-None-Match": now, "Prefer": "wait=20"])
        service.settle()
        _ = try add()
        service.settle()
        poll.receive()
        let head = try #require(poll.takeHead())
        #expect(head.contains(" 226 IM Used") && head.contains("Delta-Base: \(now)") && head.contains("wait=20"))
        #expect(poll.takeAll().contains(#""path":"/2/quantity""#))
        // Without A-IM, or without a weight for it, the value comes.
        for fields in [[:], ["A-IM": "gzip"], ["A-IM": "json-patch;q=0"]] {
            let reply = try service.ask("GET \(path)", fields.merging(["If-None-Match": tag]) { $1 })
            #expect(reply.status == 200 && reply["Vary"]?.contains("A-IM") == true)
        }
        // A tag that the server does not know gets the value.
        let unknown = try service.ask("GET \(path)", ["A-IM": "json-patch", "If-None-Match": "\"x\""])
        #expect(unknown.status == 200)
    }

    // Law W7
    @Test func `nothing is remembered while no reader asks for patches`() throws {
        let service = try ServiceInProcess()
        try fill(service)
        let plain = try stream(service, "/v1/spaces/a/cart/orders?events=1")
        let first = try block(service, plain)
        for _ in 0..<2 { _ = try service.ask("POST /v1/spaces/a/cart/increment", [:], #"{"productId": 903}"#) }
        let second = try block(service, plain)
        #expect(second.name == nil && second.id != first.id)
        let fields = ["Last-Event-ID": try #require(first.id)]
        let resumed = try stream(service, "/v1/spaces/a/cart/orders?events=1&delta=json-patch", fields)
        #expect(try block(service, resumed).name == nil)
        // From now on the steps are remembered, for readers that come back too.
        _ = try service.ask("POST /v1/spaces/a/cart/increment", [:], #"{"productId": 903}"#)
        #expect(try block(service, resumed).name == "patch")
        let third = try block(service, plain)
        _ = try service.ask("POST /v1/spaces/a/cart/increment", [:], #"{"productId": 903}"#)
        let back = ["Last-Event-ID": try #require(third.id)]
        let again = try stream(service, "/v1/spaces/a/cart/orders?events=1&delta=json-patch", back)
        #expect(try block(service, again).name == "patch")
    }

    @Test func `delta has one value, and a page of another origin may ask for it`() throws {
        let service = try ServiceInProcess(origins: ["http://example.org"])
        let reply = try service.ask("GET /v1/spaces/a/cart/orders?events=1&delta=xml")
        #expect(try reply.status == 422 && reply.json["allowed"] == ["json-patch"])
        let preflight = try service.ask(
            "OPTIONS /v1/spaces/a/cart/orders",
            ["Origin": "http://example.org", "Access-Control-Request-Method": "GET"])
        #expect(preflight["Access-Control-Allow-Headers"]?.contains("A-IM") == true)
    }
}
