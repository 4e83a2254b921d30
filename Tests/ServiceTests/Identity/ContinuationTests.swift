import GzipReading
import JSON
import ServiceInProcess
import StateStore
import Testing

/// Law ID3: after its 30 seconds a ticket goes on with the streams that it opened, and begins nothing else.
@Suite struct ContinuationTests {
    /// The tokens `secret`, for `alice-*`, and `t`, for everything.
    private static let file = """
        2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b act alice-* subject=alice
        e3b98a4da31a127d4bde6e43033f66ba274cab0eb7eb1c70ec41402bf6273dd8 admin * subject=root
        """
    private static let alice = ["Authorization": "Bearer secret"]
    private static let root = ["Authorization": "Bearer t"]
    private static let view = "/v1/spaces/alice-1/user/title"
    private static let stream = "\(view)?events=1"
    private static let events = ["Accept": "text/event-stream"]

    private func ticket(_ service: ServiceInProcess, _ fields: [String: String] = alice) throws -> String {
        let reply = try service.ask("POST /v1/tickets", fields, "{}")
        guard case .string(let ticket)? = try reply.json["ticket"] else { throw ServiceInProcess.NoAnswer() }
        return ticket
    }

    private func get(_ service: ServiceInProcess, _ target: String, _ fields: [String: String] = [:]) throws -> Int {
        try service.ask("GET \(target)", fields).status
    }

    /// Opens a stream, and returns its blocks.
    private func blocks(
        _ service: ServiceInProcess, _ target: String, _ fields: [String: String] = [:]
    ) throws -> [StreamBlock] {
        let connection = try service.connect()
        connection.send("GET \(target)", fields)
        service.settle()
        connection.receive()
        let head = try #require(connection.takeHead())
        #expect(head.contains(" 200 "), "\(target)")
        var bytes = connection.takeBytes()
        if head.contains("gzip") {
            let reader = GzipReader()
            reader.read(bytes)
            bytes = reader.content
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n\n").map { StreamBlock(String($0)) }
    }

    /// Returns the last id of a stream.
    private func lastID(
        _ service: ServiceInProcess, _ target: String, _ fields: [String: String] = [:]
    ) throws -> String {
        try #require(try blocks(service, target, fields).last { $0.id != nil }?.id)
    }

    private func logIn(_ service: ServiceInProcess, _ name: String) throws {
        let reply = try service.ask("POST /v1/spaces/alice-1/user/logIn", Self.root, "{\"name\": \"\(name)\"}")
        #expect(reply.status == 200)
    }

    // Law ID3
    @Test func `a stream that was opened in time goes on with its last id, for as long as its token is good`() throws {
        let service = try ServiceInProcess(tokenFile: Self.file)
        let target = "\(Self.stream)&ticket=\(try ticket(service))"
        var id = try lastID(service, target)
        for name in ["Ada", "Bo"] {
            service.advance(seconds: 100_000)
            // The client has the values of its id, so nothing comes again.
            let same = try blocks(service, target, ["Last-Event-ID": id])
            #expect(same.allSatisfy { $0.data == nil } && same.first?.id == id)
            #expect(try get(service, "\(target)&lastEventId=\(id)") == 200)
            try logIn(service, name)
            let later = try blocks(service, target, ["Last-Event-ID": id])
            #expect(later.last?.data == "\"\(name)\"")
            id = try #require(later.last?.id)
        }
        for refused in [[:], ["Last-Event-ID": ""]] { #expect(try get(service, target, refused) == 401) }
    }

    // Law ID3
    @Test func `after its time a ticket begins nothing, whatever id a request names`() throws {
        let service = try ServiceInProcess(tokenFile: Self.file)
        let ticket = try ticket(service)
        let id = try lastID(service, "\(Self.stream)&ticket=\(ticket)")
        let bare = try lastID(service, Self.stream, Self.alice)
        #expect(id.hasPrefix(bare) && id.utf8.count == bare.utf8.count + 33 && id.utf8.count <= 128)
        service.advance(seconds: 30)
        let mark = String(id.suffix(33))
        let last = id.last == "0" ? "1" : "0"
        let invented = [
            "x", bare, "1.0-x", "0", ".", mark + "0", String(id.dropLast()), id.dropLast() + last, id.uppercased(),
            "." + String(repeating: "0", count: 32), id + "-gzip", "\"\(id)\"",
        ]
        let targets = ["\(Self.stream)&ticket=\(ticket)", "\(Self.view)?ticket=\(ticket)"]
        for id in invented {
            for target in targets {
                #expect(try get(service, target, ["Last-Event-ID": id]) == 401, "\(id)")
                if id.contains("\"") { continue }
                #expect(try get(service, "\(target)&lastEventId=\(id)") == 401, "\(id)")
            }
        }
        // The right id, but no stream, or another one.
        for target in [
            Self.view, "/v1/spaces/alice-1/user/name?events=1", "/v1/spaces/alice-2/user/title?events=1",
            "/v1/spaces/alice-1/views?view=user.title&events=1", "\(Self.stream)&delta=json-patch", "/v1",
            "/v1/spaces/alice-1/changes?events=1", "/v1/live?watch=alice-1/user.title", "\(Self.view)?wait=1",
            "/v1/spaces/alice-1?events=1", "\(Self.view)?at=0", "/v1/nothing?events=1",
        ] {
            let sign = target.contains("?") ? "&" : "?"
            for fields in [["Last-Event-ID": id], ["Last-Event-ID": id, "If-None-Match": "\"\(id)\""]] {
                #expect(try get(service, "\(target)\(sign)ticket=\(ticket)", fields) == 401, "\(target)")
            }
            #expect(try get(service, "\(target)\(sign)lastEventId=\(id)&ticket=\(ticket)") == 401, "\(target)")
        }
        for method in ["HEAD", "POST", "DELETE"] {
            let status = try service.ask("\(method) \(targets[0])", ["Last-Event-ID": id], "{}").status
            #expect(status == 401, "\(method)")
        }
        #expect(try get(service, targets[0], ["Last-Event-ID": id]) == 200)
    }

    // Law ID3
    @Test func `the id of one ticket does not continue another`() throws {
        let service = try ServiceInProcess(tokenFile: Self.file)
        let (opened, unused) = (try ticket(service), try ticket(service, Self.root))
        let id = try lastID(service, "\(Self.stream)&ticket=\(opened)")
        // A snapshot does not open a stream, and neither does a ticket beside another proof.
        #expect(try get(service, "\(Self.view)?ticket=\(unused)") == 200)
        let beside = try blocks(service, "\(Self.stream)&ticket=\(unused)", Self.alice)
        #expect(beside.allSatisfy { $0.id?.contains(/\.[0-9a-f]{32}$/) != true })
        service.advance(seconds: 31)
        #expect(try get(service, "\(Self.stream)&ticket=\(unused)", ["Last-Event-ID": id]) == 401)
        #expect(try get(service, "\(Self.stream)&ticket=\(opened)", ["Last-Event-ID": id]) == 200)
    }

    /// The streams of a space and of all, each with the account that may read it.
    private static let streams = [
        view, "/v1/spaces/alice-1/views", "/v1/spaces/alice-1/views?view=user.title&view=user.name",
        "/v1/spaces/alice-1/views?view=user.title&delta=json-patch&progress=1",
        "/v1/live?watch=alice-1/user.title&watch=alice-1/cart.orders", "/v1/spaces/alice-1/changes?since=0",
        "/v1/changes", "\(view)/history", "/v1/spaces/alice-1/streams", "/v1/spaces/alice-1/streams/titles/value",
        "/v1/spaces/alice-1/streams/titles/values",
    ]

    // Law ID3
    @Test(arguments: streams, ["", "gzip"])
    func `every kind of stream goes on, also before its first event`(_ path: String, _ coding: String) throws {
        let service = try ServiceInProcess(tokenFile: Self.file)
        let put = try service.ask(
            "PUT /v1/spaces/alice-1/streams/titles", Self.root, #"{"source": {"view": "user.title"}}"#)
        #expect(put.status == 200 || put.status == 201)
        try logIn(service, "Ada")
        let target = "\(path)\(path.contains("?") ? "&" : "?")_=1&ticket=\(try ticket(service, Self.root))"
        let again = target.replacing("_=1&", with: "")
        var fields = Self.events
        if !coding.isEmpty { fields["Accept-Encoding"] = coding }
        let first = try blocks(service, target, fields)
        let opening = try #require(first.first?.id)
        let ids = first.compactMap(\.id)
        #expect(opening.utf8.count == 33 && ids.allSatisfy { $0.hasSuffix(opening) }, "\(ids)")
        service.advance(seconds: 40)
        for id in [opening, try #require(ids.last)] {
            let next = try blocks(service, again, fields.merging(["Last-Event-ID": id]) { $1 })
            #expect(next.compactMap(\.id).allSatisfy { $0.hasSuffix(opening) } && next.first?.id == id)
        }
        #expect(try get(service, target, fields) == 401)
    }

    // Law ID3
    @Test func `a stream goes on at each process that has the key of the journal`() throws {
        let folder = try SiteFolder()
        let first = try ServiceInProcess(tokenFile: Self.file, directory: folder.path + "/data")
        let target = "\(Self.stream)&ticket=\(try ticket(first))"
        try logIn(first, "Ada")
        let id = try lastID(first, target)
        let end = first.close()
        let second = try ServiceInProcess(
            tokenFile: Self.file, directory: folder.path + "/data", startingAt: end + 40_000_000_000)
        #expect(try blocks(second, target, ["Last-Event-ID": id]).allSatisfy { $0.data == nil })
        #expect(try get(second, target, ["Last-Event-ID": "0.0-x"]) == 401)
        let other = try ServiceInProcess(
            tokenFile: Self.file, directory: folder.path + "/other", startingAt: end + 40_000_000_000)
        #expect(try get(other, target, ["Last-Event-ID": id]) == 401)
        _ = (second.close(), other.close())
    }

    @Test func `an id with its mark is a tag wherever a tag is read`() throws {
        let service = try ServiceInProcess(tokenFile: Self.file)
        try logIn(service, "Ada")
        let id = try lastID(service, "\(Self.stream)&ticket=\(try ticket(service))")
        let known = ["If-None-Match": "\"\(id)\""].merging(Self.alice) { $1 }
        let unchanged = try service.ask("GET \(Self.view)", known)
        #expect(unchanged.status == 304 && unchanged["ETag"] == "\"\(id)\"")
        #expect(try get(service, "\(Self.view)?since=\(id)", Self.alice) == 304)
        #expect(try get(service, "\(Self.view)?at=\(id)", Self.alice) == 200)
        let act = try service.ask(
            "POST /v1/spaces/alice-1/user/logIn?view=user.title",
            ["If-Match": "\"\(id)\""].merging(Self.alice) { $1 }, #"{"name": "Bo"}"#)
        #expect(act.status == 200)
        #expect(try get(service, "\(Self.view)?since=\(id)", Self.alice) == 200)
        let changes = "/v1/spaces/alice-1/changes"
        let commit = try lastID(service, "\(changes)?events=1&ticket=\(try ticket(service))")
        #expect(try service.ask("GET \(changes)?since=\(commit)", Self.alice).body == "[]")
        let all = try lastID(service, "/v1/changes?events=1&ticket=\(try ticket(service, Self.root))")
        #expect(try service.ask("GET /v1/changes?since=\(all)", Self.root).body == "[]")
    }

    @Test func `a stream repeats no id that could break its lines`() throws {
        let service = try ServiceInProcess(tokenFile: Self.file)
        let target = "\(Self.stream)&ticket=\(try ticket(service))"
        for id in [
            "a%0Adata:%20b", "a%0D%0Adata:%20b", "%00", "a%20b", "%E2%82%AC", String(repeating: "x", count: 129),
        ] {
            let blocks = try blocks(service, "\(target)&lastEventId=\(id)")
            #expect(blocks.first?.id?.utf8.count == 33 && blocks.first?.data == nil, "\(id)")
        }
        #expect(try blocks(service, "\(target)&lastEventId=a.b").first?.id?.hasPrefix("a.b.") == true)
    }

    @Test func `streams without a ticket have no marks`() throws {
        let file = try ServiceInProcess(tokenFile: Self.file)
        let open = try ServiceInProcess()
        let ticket = try ticket(open)
        let ids = [
            try lastID(file, Self.stream, Self.alice), try lastID(file, "\(Self.stream)&access_token=secret"),
            try lastID(open, "\(Self.stream)&ticket=\(ticket)"),
        ]
        for id in ids { #expect(id.contains(/^0\.0-[A-Za-z0-9_-]{33}$/), "\(id)") }
    }
}
