import Foundation
import JSON
import ScriptedOutside
import ServiceInProcess
import StateStore
import Testing

/// Hooks: deliveries of commits and of values of views to other servers.
@Suite struct HookTests {
    // Law HOOK1.
    @Test func `a hook delivers each commit that matches, in order, with the row of changes`() throws {
        let receiver = try HookReceiver()
        let made = try receiver.put("a")
        #expect(made.status == 201 && made["Location"] == "/v1/spaces/main/hooks/a")
        #expect(try made.json["cursor"] == 0 && made.json["behind"] == 0 && made.json["problem"] == .null)
        try receiver.add()
        #expect(
            try receiver.service.ask("POST /v1/spaces/main/user/logIn", [:], #"{"name": "Ada"}"#).status == 200)
        try receiver.add(3)
        #expect(try receiver.hook("a")["behind"] == 3)
        while receiver.answer() {}
        #expect(receiver.ids == ["main/1", "main/3"])
        let rows = try receiver.service.ask("GET /v1/spaces/main/changes?since=0").json
        guard case .array(let all) = rows else { throw ServiceInProcess.NoAnswer() }
        #expect(try receiver.fetcher.requests.map { try JSON(parsing: $0.body ?? []) } == [all[0], all[2]])
        let hook = try receiver.hook("a")
        #expect(hook["cursor"] == 3 && hook["behind"] == 0 && hook["problem"] == .null && hook["stopped"] == false)
        #expect(hook["source"] == ["changes": ["cart/*"]] && hook["url"] == .string(HookReceiver.url))
    }

    // Law HOOK1.
    @Test(arguments: [#"{"changes": ["cart/*"]}"#, #"{"view": "cart.totalPrice"}"#], [true, false])
    func `a hook that is put anew delivers the first commits, whatever one of its name has reached before`(
        _ source: String, _ isRemoved: Bool
    ) throws {
        let receiver = try HookReceiver()
        for _ in 0..<3 {
            let hook = #"{"source": \#(source), "url": "\#(HookReceiver.url)", "secret": "\#(HookReceiver.secret)"}"#
            // The action follows the answer at once, before the hook has read its first page.
            let answers = try receiver.service.answer(to: [
                Self.request("PUT", "/v1/spaces/main/hooks/a", hook)
                    + Self.request("POST", "/v1/spaces/main/cart/add", #"{"productId": 1}"#)
            ])
            #expect(String(decoding: answers, as: UTF8.self).contains(#""version":1"#))
            while receiver.answer() {}
            // The hooks of a space end with it.
            if isRemoved {
                #expect(try receiver.service.ask("DELETE /v1/spaces/main/hooks/a").status == 204)
            }
            #expect(try receiver.service.ask("DELETE /v1/spaces/main").status == 204)
        }
        #expect(receiver.ids == ["main/1", "main/1", "main/1"])
    }

    private static func request(_ method: String, _ path: String, _ body: String) -> [UInt8] {
        let head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        return Array("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }

    @Test func `a delivery has the header of Standard Webhooks and of CloudEvents`() throws {
        let receiver = try HookReceiver()
        try receiver.put("a")
        try receiver.add()
        receiver.answer()
        let delivery = try #require(receiver.fetcher.requests.first)
        #expect(delivery.method == "POST" && delivery.url == HookReceiver.url && delivery.target == "hooks")
        #expect(delivery["Content-Type"] == "application/json" && delivery["ce-specversion"] == "1.0")
        #expect(delivery["ce-id"] == "main/1" && delivery["ce-source"] == "/v1/spaces/main")
        #expect(delivery["ce-type"] == "headwater.commit" && delivery["ce-subject"] == "cart/add")
        #expect(try JSON(parsing: delivery.body ?? [])["at"] == .string(delivery["ce-time"]))
        #expect(delivery["webhook-timestamp"] == "\(receiver.service.now)")
        #expect(delivery["webhook-id"].hasPrefix("msg_") && !delivery["webhook-id"].contains("."))
        let key = try #require(Data(base64Encoded: String(HookReceiver.secret.dropFirst(6))))
        #expect(try delivery["webhook-signature"] == delivery.signature(key: Array(key)))
    }

    @Test(arguments: ["a plain secret", "x", String(repeating: "long ", count: 60)])
    func `a secret without the prefix is the key itself`(_ secret: String) throws {
        let receiver = try HookReceiver()
        #expect(try receiver.put("a", secret: secret).status == 201)
        try receiver.add()
        receiver.answer()
        let delivery = try #require(receiver.fetcher.requests.first)
        #expect(try delivery["webhook-signature"] == delivery.signature(key: Array(secret.utf8)))
    }

    @Test func `a large body is signed as a small one is`() throws {
        let receiver = try HookReceiver()
        try receiver.put("a", #"{"changes": ["*"]}"#)
        let name = String(repeating: "n", count: 100)
        for _ in 0..<4 {
            for id in 0..<60 {
                _ = try receiver.service.ask(
                    "PUT /v1/spaces/main/streams/s\(id)", [:],
                    #"{"name": "\#(name)", "description": "\#(String(repeating: "d", count: 900))", "stream": []}"#)
            }
        }
        _ = try receiver.service.ask("POST /v1/spaces/main/restore", [:], #"{"version": 0}"#)
        while receiver.answer() {}
        let delivery = try #require(receiver.fetcher.requests.max { $0.text.utf8.count < $1.text.utf8.count })
        let key = try #require(Data(base64Encoded: String(HookReceiver.secret.dropFirst(6))))
        #expect(try delivery["webhook-signature"] == delivery.signature(key: Array(key)))
    }

    // Law HOOK1, Law HOOK2.
    @Test func `a failed delivery is repeated until it succeeds, and nothing overtakes it`() throws {
        let receiver = try HookReceiver()
        try receiver.put("a")
        for _ in 0..<3 { try receiver.add() }
        for (index, status) in [500, 404, 301, 503, 200].enumerated() {
            #expect(receiver.answer(status), "attempt \(index)")
            #expect(receiver.fetcher.underWay.count == (status == 200 ? 1 : 0))
            if status != 200 {
                let hook = try receiver.hook("a")
                guard case .string(let problem)? = hook["problem"] else { throw ServiceInProcess.NoAnswer() }
                #expect(problem.contains("\(status)") && hook["cursor"] == 0 && hook["behind"] == 3)
                receiver.service.advance(seconds: 20)
            }
        }
        #expect(try receiver.hook("a")["problem"] == .null)
        while receiver.answer() {}
        #expect(receiver.ids == Array(repeating: "main/1", count: 5) + ["main/2", "main/3"])
        let first = receiver.fetcher.requests.prefix(5)
        #expect(Set(first.map { $0["webhook-id"] }).count == 1, "a repeat has the same id")
        // The first attempts may lie within one second.
        #expect(Set(first.map { $0["webhook-timestamp"] }).count >= 4, "and a time of its own")
    }

    @Test func `the time between attempts doubles, up to five minutes, and obeys Retry-After`() throws {
        let receiver = try HookReceiver()
        try receiver.put("a")
        try receiver.add()
        var times: [Int] = []
        for _ in 0..<14 {
            receiver.answer(500)
            let count = receiver.fetcher.requests.count
            let start = receiver.service.now
            while receiver.fetcher.requests.count == count { receiver.service.advance(seconds: 1) }
            times.append(receiver.service.now - start)
        }
        #expect(times[0] <= 2 && times[3] >= 4 && times.allSatisfy { $0 <= 301 }, "\(times)")
        #expect(times.suffix(3).allSatisfy { $0 >= 150 }, "\(times)")
        receiver.answer(200)
        try receiver.add()
        receiver.answer(429, fields: [.init("Retry-After", "100")])
        receiver.service.advance(seconds: 99)
        #expect(receiver.fetcher.underWay.isEmpty)
        receiver.service.advance(seconds: 2)
        #expect(receiver.fetcher.underWay.count == 1)
    }

    @Test func `410 stops a hook, also after a restart, until it is put again`() throws {
        let folder = try SiteFolder()
        var time: Int64 = 0
        do {
            let receiver = try HookReceiver(directory: folder.path)
            try receiver.put("a")
            for _ in 0..<3 { try receiver.add() }
            receiver.answer(200)
            receiver.answer(410)
            receiver.service.advance(seconds: 1_000)
            #expect(receiver.ids == ["main/1", "main/2"])
            #expect(try receiver.hook("a")["stopped"] == true)
            time = receiver.service.close()
        }
        let receiver = try HookReceiver(directory: folder.path, startingAt: time)
        receiver.service.settle()
        #expect(try receiver.hook("a")["stopped"] == true && receiver.hook("a")["cursor"] == 1)
        #expect(try receiver.put("a").status == 200)
        while receiver.answer() {}
        #expect(receiver.ids == ["main/2", "main/3"])
        #expect(try receiver.hook("a")["stopped"] == false)
    }

    @Test func `a hook over a view delivers each change of its value`() throws {
        let receiver = try HookReceiver()
        try receiver.add()
        let made = try receiver.put("price", #"{"view": "cart.totalPrice"}"#)
        #expect(try made.status == 201 && made.json["cursor"] == 1)
        try receiver.add()
        _ = try receiver.service.ask("POST /v1/spaces/main/user/logIn", [:], #"{"name": "Ada"}"#)
        _ = try receiver.service.ask(
            "POST /v1/spaces/common/catalog/put", [:], #"{"id": 1, "name": "Apple", "price": 100}"#)
        try receiver.add(3)
        while receiver.answer() {}
        #expect(receiver.fetcher.requests.map(\.text) == ["19", "200", "279.9"])
        #expect(receiver.ids.first == "main/2" && receiver.ids.last == "main/4" && receiver.ids.count == 3)
        #expect(receiver.ids[1].hasPrefix("main/3."), "a change by common has its version in the id: \(receiver.ids)")
        let delivery = try #require(receiver.fetcher.requests.first)
        #expect(delivery["ce-type"] == "headwater.view" && delivery["ce-subject"] == "cart.totalPrice")
        #expect(delivery["ce-source"] == "/v1/spaces/main/cart/totalPrice")
        let hook = try receiver.hook("price")
        #expect(hook["cursor"] == 4 && hook["behind"] == 0)
        receiver.service.advance(seconds: 10)
        let commits = try receiver.service.ask("GET /v1/spaces/common").json["version"]
        receiver.service.advance(seconds: 100)
        #expect(try receiver.service.ask("GET /v1/spaces/common").json["version"] == commits, "it has come to rest")
    }

    // Law HOOK1.
    @Test func `a restart goes on after the kept cursor, without a gap and in order`() throws {
        let folder = try SiteFolder()
        var time: Int64 = 0
        do {
            let receiver = try HookReceiver(directory: folder.path)
            try receiver.put("a")
            try receiver.put("view", #"{"view": "cart.numberOfItems"}"#)
            for _ in 0..<40 { try receiver.add() }
            for _ in 0..<20 { receiver.answer() }
            receiver.service.advance(seconds: 5)
            time = receiver.service.close()
        }
        let receiver = try HookReceiver(directory: folder.path, startingAt: time)
        while receiver.answer() {}
        let commits = receiver.fetcher.requests.filter { $0["ce-type"] == "headwater.commit" }.map { $0["ce-id"] }
        let values = receiver.fetcher.requests.filter { $0["ce-type"] == "headwater.view" }.map(\.text)
        for (found, all) in [(commits, (1...40).map { "main/\($0)" }), (values, (1...40).map { "\($0)" })] {
            #expect(found.count < 40 && found == Array(all.suffix(found.count)), "\(found)")
        }
        #expect(try receiver.hook("a")["behind"] == 0 && receiver.hook("view")["behind"] == 0)
    }

    // Law HOOK5.
    @Test func `a hook whose commits are no longer stored says so and goes on when it is put again`() throws {
        let receiver = try HookReceiver(history: 10)
        try receiver.put("a")
        try receiver.add()
        receiver.answer(500)
        for _ in 0..<40 { try receiver.add() }
        receiver.service.advance(seconds: 10)
        let hook = try receiver.hook("a")
        #expect(hook["stopped"] == true && hook["cursor"] == 0 && receiver.ids == ["main/1"])
        try receiver.put("a")
        while receiver.answer() {}
        let oldest = try #require(receiver.ids.dropFirst().first.flatMap { Int($0.dropFirst(5)) })
        #expect(oldest > 1 && receiver.ids.dropFirst().elementsEqual((oldest...41).map { "main/\($0)" }))
    }

    // Law HOOK4.
    @Test func `a deleted hook delivers nothing more, and neither do those of a deleted space`() throws {
        let receiver = try HookReceiver()
        try receiver.put("a")
        try receiver.put("b")
        try receiver.put("c", in: "other")
        try receiver.add()
        receiver.service.settle()
        #expect(receiver.fetcher.underWay.count == 2)
        #expect(try receiver.service.ask("DELETE /v1/spaces/main/hooks/a").status == 204)
        #expect(try receiver.service.ask("DELETE /v1/spaces/main/hooks/a").status == 404)
        #expect(receiver.fetcher.cancelled.count == 1)
        #expect(try receiver.service.ask("DELETE /v1/spaces/main").status == 204)
        #expect(receiver.fetcher.underWay.isEmpty)
        #expect(try receiver.service.ask("GET /v1/spaces/main/hooks").body == #"{"hooks":[]}"#)
        #expect(try receiver.hook("c", in: "other")["id"] == "c")
        try receiver.add()
        #expect(!receiver.answer())
        #expect(try receiver.put("a").json["cursor"] == 1, "a new hook begins now")
    }

    // Law HOOK4.
    @Test func `a return to an earlier state neither removes nor repeats`() throws {
        let receiver = try HookReceiver()
        try receiver.add()
        try receiver.put("a", #"{"changes": ["*"]}"#)
        try receiver.add()
        #expect(
            try receiver.service.ask("POST /v1/spaces/main/restore", [:], #"{"version": 0}"#).json["version"] == 3)
        while receiver.answer() {}
        #expect(receiver.ids == ["main/2", "main/3"])
        #expect(receiver.fetcher.requests.last?["ce-subject"] == "space/restore")
    }

    @Test func `hooks over commits of common do not deliver their own`() throws {
        let receiver = try HookReceiver()
        try receiver.put("a", in: "common", #"{"changes": ["*"]}"#)
        for price in 1...3 {
            _ = try receiver.service.ask(
                "POST /v1/spaces/common/catalog/put", [:], #"{"id": 1, "name": "Apple", "price": \#(price)}"#)
            receiver.answer()
            receiver.service.advance(seconds: 5)
        }
        receiver.service.advance(seconds: 100)
        #expect(receiver.fetcher.requests.map { $0["ce-subject"] } == Array(repeating: "catalog/put", count: 3))
        #expect(try receiver.hook("a", in: "common")["behind"] == 0)
    }

    @Test func `a slow receiver keeps others neither waiting nor out for ever`() throws {
        let receiver = try HookReceiver()
        for index in 0..<40 { try receiver.put("a", in: "s\(index)", url: "http://hooks.example:9000/\(index)") }
        for _ in 0..<2 { for index in 0..<40 { try receiver.add(in: "s\(index)") } }
        receiver.service.settle()
        #expect(receiver.fetcher.underWay.count == 32, "at most 32 deliver at once")
        var first: Set<String> = []
        for _ in 0..<80 {
            if first.count < 40 { for url in receiver.fetcher.underWay { first.insert(url) } }
            receiver.answer()
        }
        #expect(first.count == 40 && receiver.ids.count == 80 && Set(receiver.ids).count == 80)
    }

    // Law HOOK1.
    @Test func `a hook over a view outlives a long time in which common alone went on`() throws {
        let receiver = try HookReceiver(history: 10)
        try receiver.add()
        try receiver.put("price", #"{"view": "cart.totalPrice"}"#)
        try receiver.put("busy", in: "other", #"{"changes": ["*"]}"#)
        for _ in 0..<30 {
            try receiver.add(in: "other")
            receiver.answer()
            receiver.service.advance(seconds: 2)
        }
        #expect(receiver.ids.allSatisfy { $0.hasPrefix("other/") })
        try receiver.add()
        while receiver.answer() {}
        let delivered = receiver.fetcher.requests.filter { $0["ce-type"] == "headwater.view" }
        // The value at the oldest stored moment comes again, and again if that moment goes meanwhile.
        #expect(delivered.last?.text == "19" && delivered.last?["ce-id"] == "main/2")
        #expect(delivered.dropLast().allSatisfy { $0.text == "9.5" })
        #expect(try receiver.hook("price")["stopped"] == false && receiver.hook("price")["behind"] == 0)
    }
}
