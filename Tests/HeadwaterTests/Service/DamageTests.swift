import Foundation
import JSON
import Testing

// Laws DAMAGE3, DAMAGE4, DAMAGE5 and DAMAGE6.
@Suite struct DamageTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private let product = #"{"productId": 906}"#

    /// Writes ten versions of two spaces, then changes one bit in version 7 of `b`.
    private func damage() throws {
        let server = try Service("--data", scratch.data)
        for number in 1...10 {
            let body = #"{"id": \#(900 + number), "name": "Product", "price": 1}"#
            #expect(try server.ask("POST", "/v1/spaces/common/catalog/put", body).status == 200)
        }
        for space in ["a", "b"] {
            for number in 1...10 {
                let body = #"{"productId": \#(900 + number), "quantity": \#(number)}"#
                let answer = try server.ask(
                    "POST", "/v1/spaces/\(space)/cart/add", body, ["Idempotency-Key": "KEY-\(space)-\(number)"])
                #expect(answer.status == 200)
            }
        }
        server.program.kill(SIGTERM)
        #expect(server.program.wait() == 0)
        try flip("KEY-b-7")
    }

    /// Changes one bit in the commit with an idempotency key.
    private func flip(_ key: String) throws {
        let file = URL(fileURLWithPath: scratch.data + "/journal.sqlite")
        var bytes = try Data(contentsOf: file)
        let place = try #require(bytes.range(of: Data(#""key":"\#(key)""#.utf8)))
        bytes[place.lowerBound + 9] ^= 1
        try bytes.write(to: file)
    }

    @Test func `a damaged space answers 503, its sound versions are read, and the others work`() throws {
        try damage()
        let server = try Service("--data", scratch.data)
        #expect(try server.ask("GET", "/readyz").text == "ready\n")
        for (method, path, body) in [
            ("GET", "/v1/spaces/b/cart/numberOfItems", nil), ("GET", "/v1/spaces/b", nil),
            ("POST", "/v1/spaces/b/cart/add", product), ("GET", "/v1/spaces/b/changes?since=0", nil),
            ("GET", "/v1/spaces/b/cart/numberOfItems?at=7", nil), ("GET", "/v1/spaces/b/cart/numberOfItems?at=9", nil),
        ] as [(String, String, String?)] {
            let answer = try server.ask(method, path, body)
            #expect(try answer.isProblem("damaged", 503) && answer["Retry-After"] != nil, "\(path): \(answer)")
        }
        for version in 1...6 {
            let answer = try server.ask("GET", "/v1/spaces/b/cart/numberOfItems?at=\(version)")
            #expect(answer.status == 200 && answer.text == "\((1...version).reduce(0, +))")
        }
        #expect(try server.ask("GET", "/v1/spaces/a/cart/numberOfItems").text == "55")
        // The commits of all other spaces, and the sound ones of this, are read past the damage.
        let feed = try server.ask("GET", "/v1/changes")
        #expect(feed.status == 200)
        let rows = feed.text.components(separatedBy: #"{"space":"#)
        #expect(rows.count { $0.hasPrefix(#""a""#) } == 10 && rows.count { $0.hasPrefix(#""b""#) } == 10)
        #expect(rows.count { $0.contains(#""damaged":true"#) } == 1)
        #expect(try server.ask("POST", "/v1/spaces/a/cart/add", product).status == 200)
        #expect(try server.metric("headwater_damaged_spaces") == 1)
        let ready = try server.ask("GET", "/readyz")
        #expect(ready.status == 200 && ready.text.contains("1 damaged: b"))
        // What cannot be read can be deleted.
        #expect(try server.ask("DELETE", "/v1/spaces/b").status == 204)
        #expect(try server.ask("GET", "/v1/spaces/b/cart/numberOfItems").text == "0")
        #expect(try server.ask("POST", "/v1/spaces/b/cart/add", product).status == 200)
        #expect(try server.metric("headwater_damaged_spaces") == 0)
        #expect(try server.ask("GET", "/readyz").text == "ready\n")
    }

    @Test func `verification finds a space that nobody reads`() throws {
        try damage()
        let server = try Service("--data", scratch.data, "--verify-every", "1s")
        #expect(try server.eventually { try server.metric("headwater_damaged_spaces") == 1 })
        #expect(try server.ask("GET", "/readyz").text.contains("1 damaged: b"))
        #expect(try server.eventually { try server.metric("headwater_verifications_total") > 1 })
        server.program.kill(SIGTERM)
        #expect(server.program.wait() == 0)
        #expect(try Program.run("serve", "--verify-every", "soon").status == 2)
    }

    @Test func `each command says the damage, and a repair saves the rest`() throws {
        let copy = scratch.path + "/copy"
        try damage()
        for command in [["check", scratch.data], ["backup", scratch.data, copy], ["export", scratch.data]] {
            let ending = try Program.run(command)
            #expect(
                ending.status == 1 && (ending.output + ending.errors).contains("commit 7 of the space b"), "\(ending)")
        }
        #expect(!FileManager.default.fileExists(atPath: copy))
        let lines = try Program.run("export", scratch.data, "--skip-damaged")
        #expect(lines.status == 0 && lines.errors.contains("space b, version 7, table runs"))
        let part = try Program.run("export", scratch.data)
        let cut = try Program.run("import", scratch.path + "/cut", input: try scratch.file("part", part.output))
        #expect(cut.status == 1 && cut.output + cut.errors != "")
        let skipped = scratch.path + "/skipped"
        #expect(try Program.run("import", skipped, input: try scratch.file("lines", lines.output)).status == 0)
        let saved = scratch.path + "/saved"
        let repair = try Program.run("repair", scratch.data, saved)
        #expect(repair.status == 0 && repair.output.contains("space b, version 7, table runs"))
        #expect(try Program.run("export", saved).output == Program.run("export", skipped).output)
        #expect(try Program.run("check", saved).output.hasSuffix("Nothing is wrong.\n"))
        #expect(try Program.run("repair", scratch.data, saved).status == 1, "there are spaces already")
        let server = try Service("--data", saved)
        #expect(try server.ask("GET", "/v1/spaces/a/cart/numberOfItems").text == "55")
        #expect(try server.ask("GET", "/v1/spaces/b/cart/numberOfItems").text == "48")
        #expect(try server.ask("GET", "/v1/spaces/b").json["version"]?.integer == 10)
        let changes = try server.ask("GET", "/v1/spaces/b/changes?since=6&limit=1").text
        #expect(changes.contains(#""action":"space/repair""#))
        #expect(try server.ask("POST", "/v1/spaces/b/cart/add", product).status == 200)
    }

    // Law DAMAGE6
    @Test func `a server with a damaged common starts, refuses what needs it, and a repair mends it`() throws {
        let features = scratch.path + "/features"
        try FileManager.default.createDirectory(atPath: features, withIntermediateDirectories: true)
        let document = #"""
            {"feature": "tally", "state": {"n": {"value": {"type": "integer"}, "initial": 0}},
             "views": {"n": {"expression": "state.n"}}}
            """#
        _ = try scratch.file("features/tally.json", document)
        let first = try Service("--data", scratch.data)
        for number in 1...3 {
            let body = #"{"id": \#(900 + number), "name": "Product", "price": 1}"#
            let answer = try first.ask(
                "POST", "/v1/spaces/common/catalog/put", body, ["Idempotency-Key": "KEY-common-\(number)"])
            #expect(answer.status == 200)
        }
        #expect(try first.ask("POST", "/v1/spaces/main/cart/add", #"{"productId": 901}"#).status == 200)
        first.program.kill(SIGTERM)
        #expect(first.program.wait() == 0)
        try flip("KEY-common-2")
        let server = try Service("--data", scratch.data, "--features", features)
        #expect(try server.ask("GET", "/healthz").status == 200)
        #expect(try server.ask("GET", "/readyz").isProblem("damaged", 503))
        for (method, path, body) in [
            ("GET", "/v1", nil), ("GET", "/v1/features", nil), ("GET", "/v1/spaces/main", nil),
            ("GET", "/v1/spaces/main/cart/numberOfItems", nil), ("GET", "/v1/spaces/main/views", nil),
            ("GET", "/v1/spaces/common/catalog/products", nil), ("POST", "/v1/spaces/main/cart/add", product),
            ("GET", "/v1/spaces/main/tally/n", nil), ("DELETE", "/v1/spaces/main", nil), ("GET", "/v1/changes", nil),
            ("GET", "/v1/spaces/main/views?at=1", nil),
        ] as [(String, String, String?)] {
            let answer = try server.ask(method, path, body)
            #expect(try answer.isProblem("damaged", 503) && answer["Retry-After"] == "60", "\(path): \(answer)")
        }
        #expect(try server.ask("GET", "/v1/spaces").text.contains(#""name":"main""#))
        let past = try server.ask("GET", "/v1/spaces/common/catalog/products?at=1")
        #expect(past.status == 200 && past.text.contains("901") && !past.text.contains("902"))
        #expect(try server.metric("headwater_damaged_spaces") == 1)
        server.program.kill(SIGTERM)
        #expect(server.program.wait() == 0)
        let saved = scratch.path + "/saved"
        let repair = try Program.run("repair", scratch.data, saved)
        #expect(repair.status == 0 && repair.output.contains("space common, version 2, table runs"))
        let mended = try Service("--data", saved)
        #expect(try mended.ask("GET", "/readyz").text == "ready\n")
        #expect(try mended.ask("GET", "/v1/spaces/main/cart/numberOfItems").text == "1")
        let products = try mended.ask("GET", "/v1/spaces/common/catalog/products").text
        // There was no snapshot, so the changes of the lost commit are lost with it.
        #expect(products.contains("901") && !products.contains("902") && products.contains("903"))
    }
}
