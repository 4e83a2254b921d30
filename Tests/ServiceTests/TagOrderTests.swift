import JSON
import ServiceInProcess
import Testing

/// Random histories of commits, deletions, streams and reads, beside a model of two counters for each space.
@Suite struct TagOrderTests {
    /// The state of one space, as a reader of the contract imagines it.
    struct SpaceModel {
        var version = 0
        var life = 0
        var items = 0
    }

    /// A stream and what its client knows.
    struct StreamModel {
        let connection: ConnectionInProcess
        let space: String
        let path: String
        let wantsProgress: Bool
        var life: Int
        var values: String
        var told: (version: Int, common: Int)
        var lastID: String?
    }

    /// A history under way.
    struct History {
        let service: ServiceInProcess
        var entropy: Entropy
        var spaces: [String: SpaceModel] = ["a": SpaceModel(), "b": SpaceModel()]
        var common = 0
        var streams: [StreamModel] = []
        /// The OPAQUE of each space, path, life and value.
        var opaques: [String: String] = [:]
        /// The ids of streams that ended, with what they stand for.
        var ended: [(space: String, path: String, id: String, life: Int, values: String)] = []

        static let paths = [
            "cart/numberOfItems", "user/title", "views?view=cart.numberOfItems&view=user.title",
        ]

        init(seed: UInt64) throws {
            service = try ServiceInProcess()
            entropy = Entropy(seed: seed)
        }

        func values(_ path: String, of space: String) -> String {
            let items = spaces[space]?.items ?? 0
            return switch path {
            case Self.paths[0]: "\(items)"
            case Self.paths[1]: "\"Logged out\""
            default: "{\"cart.numberOfItems\":\(items),\"user.title\":\"Logged out\"}"
            }
        }

        func versions(_ space: String) -> String { "\(spaces[space]?.version ?? 0).\(common)" }

        /// Checks that a tag has the present versions, and an OPAQUE that stands for the life and the value.
        mutating func check(_ tag: String?, _ path: String, _ space: String) throws {
            let tag = try #require(tag)
            let block = StreamBlock(id: tag, data: nil)
            #expect(block.versions == versions(space))
            #expect(tag.utf8.count <= 128)
            let key = "\(space) \(path) \(spaces[space]?.life ?? 0) \(values(path, of: space))"
            let opaque = try #require(block.opaque)
            #expect(opaques[key, default: opaque] == opaque)
            #expect(opaques.allSatisfy { $0.value != opaque || $0.key == key }, "\(key)")
            opaques[key] = opaque
        }

        // MARK: Steps

        mutating func step() throws {
            let space = entropy.one(of: ["a", "b"])
            switch entropy.below(12) {
            case 0, 1, 2: try add(space)
            case 3: try clear(space)
            case 4: try change()
            case 5: if entropy.isOne(in: 2) { try forget(space) }
            case 6, 7: try open(space)
            case 8: close()
            case 9: try wait()
            default: try look(space)
            }
            service.settle()
            for index in streams.indices { try hear(index) }
        }

        mutating func act(_ path: String, _ body: String, _ version: Int) throws {
            let reply = try service.ask("POST \(path)", [:], body)
            #expect(try reply.status == 200 && reply.json["version"] == .number(Decimal(version)), "\(reply)")
            #expect(reply["ETag"]?.hasPrefix("\"\(version)-") == true)
        }

        mutating func add(_ space: String) throws {
            spaces[space]?.version += 1
            spaces[space]?.items += 1
            try act("/v1/spaces/\(space)/cart/add", #"{"productId": 1}"#, spaces[space]?.version ?? 0)
        }

        mutating func clear(_ space: String) throws {
            if spaces[space]?.items ?? 0 > 0 {
                spaces[space]?.version += 1
                spaces[space]?.items = 0
            }
            try act("/v1/spaces/\(space)/cart/clear", "{}", spaces[space]?.version ?? 0)
        }

        /// Changes the catalog in `common`, of which no stream here shows anything.
        mutating func change() throws {
            common += 1
            let body = #"{"id": 900, "name": "Drum", "price": \#(common)}"#
            try act("/v1/spaces/common/catalog/put", body, common)
        }

        mutating func forget(_ space: String) throws {
            let exists = spaces[space]?.version ?? 0 > 0
            let status = try service.ask("DELETE /v1/spaces/\(space)").status
            #expect(status == (exists ? 204 : 404))
            guard exists else { return }
            spaces[space] = SpaceModel(life: (spaces[space]?.life ?? 0) + 1)
        }

        mutating func open(_ space: String) throws {
            guard streams.count < 6 else { return }
            let path = entropy.one(of: Self.paths)
            let known = ended.last { $0.space == space && $0.path == path }
            let wantsProgress = entropy.isOne(in: 2)
            let values = values(path, of: space)
            let life = spaces[space]?.life ?? 0
            var fields: [String: String] = [:]
            var expected: [StreamBlock] = []
            switch entropy.below(4) {
            case 0: break
            case 1:
                fields["Last-Event-ID"] = entropy.one(of: ["7", "AbCdEfGhIjKlMnOpQrStUv", "1.1-x", "18-1x_0", "W/"])
            default: fields["Last-Event-ID"] = known.map { entropy.isOne(in: 3) ? "W/\"\($0.id)-gzip\"" : $0.id }
            }
            let isKnown = fields["Last-Event-ID"].map { $0.utf8.count > 30 } ?? false
            if isKnown, let known, known.life != life { expected.append(.reset) }
            let isCurrent = isKnown && known?.life == life && known?.values == values
            if !isCurrent { expected.append(StreamBlock(data: values)) }
            let connection = try service.connect()
            let mark = path.contains("?") ? "&" : "?"
            connection.send(
                "GET /v1/spaces/\(space)/\(path)\(mark)events=1\(wantsProgress ? "&progress=1" : "")", fields)
            service.settle()
            connection.receive()
            _ = try #require(connection.takeHead())
            #expect(StreamBlock(try #require(connection.takeBlock())).isRetry)
            var stream = StreamModel(
                connection: connection, space: space, path: path, wantsProgress: wantsProgress, life: life,
                values: values, told: (spaces[space]?.version ?? 0, common), lastID: isCurrent ? known?.id : nil)
            try expect(expected, on: &stream)
            streams.append(stream)
        }

        mutating func close() {
            guard !streams.isEmpty else { return }
            let stream = streams.remove(at: entropy.below(streams.count))
            if let id = stream.lastID {
                ended.append((stream.space, stream.path, id, stream.life, stream.values))
            }
        }

        /// Lets a second pass: streams that want progress are told the commits that changed nothing of theirs.
        mutating func wait() throws {
            service.settle()
            for index in streams.indices { try hear(index) }
            service.advance(seconds: 1)
            for index in streams.indices where streams[index].wantsProgress {
                let now = (spaces[streams[index].space]?.version ?? 0, common)
                guard streams[index].told != now else { continue }
                let data = "{\"version\":\(now.0),\"common\":\(now.1)}"
                var stream = streams[index]
                stream.connection.receive()
                try expect([StreamBlock(name: "version", data: data)], on: &stream)
                streams[index] = stream
            }
        }

        /// Reads once, and once more with the tag in one of its forms.
        mutating func look(_ space: String) throws {
            let path = entropy.one(of: Self.paths)
            let reply = try service.ask("GET /v1/spaces/\(space)/\(path)")
            #expect(reply.status == 200 && reply.body == values(path, of: space))
            let tag = try #require(reply["ETag"])
            try check(String(tag.dropFirst().dropLast()), path, space)
            let element = entropy.one(of: [tag, "W/\(tag)", "\(tag.dropLast())-gzip\"", "\(tag.dropLast());gzip\""])
            let again = try service.ask("GET /v1/spaces/\(space)/\(path)", ["If-None-Match": "\"x\", \(element)"])
            #expect(again.status == 304 && again["ETag"] == element)
            // Earlier versions of the same value are the same tag, and are repeated as they are.
            let other = "\"0.0-\(tag.dropLast().drop { $0 != "-" }.dropFirst())\""
            let late = try service.ask("GET /v1/spaces/\(space)/\(path)", ["If-None-Match": other])
            #expect(late.status == 304 && late["ETag"] == other)
        }

        // MARK: Streams

        /// Expects the events that the model's present state demands of a stream.
        mutating func hear(_ index: Int) throws {
            var stream = streams[index]
            stream.connection.receive()
            let (space, path) = (stream.space, stream.path)
            let life = spaces[space]?.life ?? 0
            let values = values(path, of: space)
            var expected: [StreamBlock] = []
            if life != stream.life {
                expected = [.reset, StreamBlock(data: values)]
            } else if values != stream.values {
                let items = "{\"cart.numberOfItems\":\(spaces[space]?.items ?? 0)}"
                expected = [StreamBlock(data: path == Self.paths[2] ? items : values)]
            }
            (stream.life, stream.values) = (life, values)
            try expect(expected, on: &stream)
            streams[index] = stream
        }

        mutating func expect(_ expected: [StreamBlock], on stream: inout StreamModel) throws {
            for wanted in expected {
                let block = StreamBlock(try #require(stream.connection.takeBlock(), "\(wanted)"))
                #expect(block.name == wanted.name && block.data == wanted.data, "\(block), expected \(wanted)")
                guard wanted != .reset else {
                    #expect(block.id == nil)
                    continue
                }
                try check(block.id, stream.path, stream.space)
                stream.lastID = block.id
                stream.told = (spaces[stream.space]?.version ?? 0, common)
            }
            #expect(stream.connection.takeAll() == "")
        }
    }

    // Laws W1, W2, W3 and W4
    @Test(arguments: UInt64(1)...30)
    func `tags name the versions that are shown, and streams begin anew only in another life`(_ seed: UInt64) throws {
        var history = try History(seed: seed)
        for _ in 0..<60 { try history.step() }
    }

    // Law W1
    @Test func `the tag of views in an action's answer, of a condition and of a read are the same`() throws {
        let service = try ServiceInProcess()
        let path = "/v1/spaces/a/cart/numberOfItems"
        let answer = try service.ask(
            "POST /v1/spaces/a/cart/add?view=cart.numberOfItems", [:], #"{"productId": 1}"#)
        let tag = try #require(answer["ETag"])
        #expect(tag.hasPrefix("\"1.0-"))
        #expect(try service.ask("GET \(path)")["ETag"] == tag)
        #expect(try service.ask("GET /v1/spaces/a/views?view=cart.numberOfItems")["ETag"] == tag)
        // A commit that leaves the value as it is does not break the condition.
        #expect(try service.ask("POST /v1/spaces/a/user/logIn", [:], #"{"name": "Ada"}"#).status == 200)
        let read = try #require(try service.ask("GET \(path)")["ETag"])
        #expect(read.hasPrefix("\"2.0-") && read.dropFirst(5) == tag.dropFirst(5))
        let add = "POST /v1/spaces/a/cart/add?view=cart.numberOfItems"
        let second = try service.ask(add, ["If-Match": "W/\(tag)"], #"{"productId": 1}"#)
        #expect(second.status == 200 && second["ETag"]?.hasPrefix("\"3.0-") == true)
        let third = try service.ask(add, ["If-Match": tag], #"{"productId": 1}"#)
        #expect(third.status == 412 && third["ETag"] == second["ETag"])
    }

    // Law W1
    @Test func `views in common have one version in their tag`() throws {
        let service = try ServiceInProcess()
        let put = "POST /v1/spaces/common/catalog/put?view=catalog.discountRate"
        let answer = try service.ask(put, [:], #"{"id": 900, "name": "Drum", "price": 1}"#)
        #expect(answer["ETag"]?.hasPrefix("\"1-") == true)
        #expect(try service.ask("GET /v1/spaces/common/catalog/discountRate")["ETag"] == answer["ETag"])
        #expect(try service.ask("GET /v1/spaces/a/catalog/discountRate")["ETag"]?.hasPrefix("\"0.1-") == true)
    }

    // Law W3
    @Test func `a stream of changes begins anew when its space is deleted`() throws {
        let service = try ServiceInProcess()
        let add = { try service.ask("POST /v1/spaces/a/cart/add", [:], #"{"productId": 1}"#) }
        _ = try add()
        let stream = try service.connect()
        stream.send("GET /v1/spaces/a/changes?events=1")
        service.settle()
        #expect(try service.ask("DELETE /v1/spaces/a").status == 204)
        service.settle()
        _ = try add()
        service.settle()
        stream.receive()
        _ = try #require(stream.takeHead())
        var names: [String] = []
        while let text = stream.takeBlock() {
            let block = StreamBlock(text)
            if !block.isRetry { names.append("\(block.name ?? "message") \(block.versions ?? "-")") }
        }
        #expect(names == ["message 1", "reset -", "message 1"])
    }
}
