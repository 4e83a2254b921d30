import Foundation
import GzipReading
import JSON
import Testing

/// Directories that earlier programs have made with `Scripts/fixture`, and a kill has left.
// Laws FORMAT1, FORMAT2.
@Suite struct OldDataTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures")

    private struct Expectation {
        let path: String
        let value: JSON
    }

    /// Unpacks a fixture to the data directory. Returns what its program has answered.
    private func open(_ name: String) throws -> [Expectation] {
        let folder = Self.folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(atPath: scratch.data, withIntermediateDirectories: false)
        for file in ["journal.sqlite", "journal.sqlite-wal"] {
            let reader = GzipReader()
            reader.read(Array(try Data(contentsOf: folder.appendingPathComponent(file + ".gz"))))
            #expect(reader.isFinished && reader.isValid)
            try Data(reader.content).write(to: URL(fileURLWithPath: scratch.data + "/" + file))
        }
        let text = try Data(contentsOf: folder.appendingPathComponent("expected.json"))
        guard case .array(let all) = try JSON(parsing: Array(text)) else { throw Trouble("no list") }
        return try all.map { one in
            guard let path = one["path"]?.string, let value = one["value"] else { throw Trouble("no path") }
            return Expectation(path: path, value: value)
        }
    }

    /// Returns true if a value has all that an earlier program has said: an object can have further members, and a list
    /// further elements at its end.
    private static func has(_ value: JSON, _ expected: JSON) -> Bool {
        switch (value, expected) {
        case (.object(let members), .object(let needed)):
            needed.allSatisfy { one in members[one.key].map { has($0, one.value) } ?? false }
        case (.array(let elements), .array(let needed)):
            elements.count >= needed.count && zip(elements, needed).allSatisfy { has($0, $1) }
        default: value == expected
        }
    }

    @Test(
        "a directory of an earlier program opens, and every kind of content is as it was",
        arguments: ["first", "second"])
    func content(_ name: String) throws {
        let expected = try open(name)
        #expect(expected.count > 15)
        // Once the upgrade is done, and once after a restart.
        for round in 1...2 {
            let server = try Service("--data", scratch.data, "--history", "60", "--outgoing-allow", "127.0.0.1:9")
            for one in expected {
                let answer = try server.ask("GET", one.path)
                #expect(answer.status == 200, "\(name) \(one.path): \(answer.text)")
                let value = try answer.json
                #expect(Self.has(value, one.value), "\(name) \(one.path): \(answer.text.prefix(2_000))")
            }
            if expected.contains(where: { $0.path == "/v1/features/desk" }) {
                // The time of a row came while no server ran, and those of a clock come again.
                #expect(
                    try server.eventually { try server.ask("GET", "/v1/spaces/late/desk/late").text == "1" })
                #expect(
                    try server.eventually { try server.ask("GET", "/v1/spaces/clock/clock/ticks").text != "0" })
                #expect(!(try server.ask("GET", "/v1/spaces/desk/changes?since=0").text.contains("a secret")))
            }
            let count = try server.ask("GET", "/v1/spaces/nothing\(round)/cart/numberOfItems").text
            #expect(count == "0")
            #expect(
                try server.ask("POST", "/v1/spaces/zz\(round)/cart/add", #"{"productId": 1}"#).status == 200)
            server.program.kill(SIGTERM)
            #expect(server.program.wait() == 0)
            #expect(try Program.run("check", scratch.data).status == 0)
        }
    }

    @Test func `memory of an earlier program goes on`() throws {
        _ = try open("second")
        let server = try Service("--data", scratch.data, "--history", "60")
        #expect(try server.ask("GET", "/v1/spaces/shop/streams/count/value").text == "5")
        #expect(try server.ask("POST", "/v1/spaces/shop/cart/add", #"{"productId": 4}"#).status == 200)
        #expect(try server.ask("GET", "/v1/spaces/shop/streams/count/value").text == "6")
        #expect(try server.ask("POST", "/v1/spaces/diary/diary/write", #"{"text": "Sunday"}"#).status == 200)
        #expect(
            try server.ask("GET", "/v1/spaces/diary/diary/all").text == #""Monday Tuesday Friday Sunday ""#)
        // The program of then showed private input to pipelines: such a memory is not taken over.
        #expect(
            try server.ask("POST", "/v1/spaces/desk/desk/put", #"{"id": "c", "text": "new"}"#).status == 200)
        #expect(try server.ask("GET", "/v1/spaces/desk/desk/puts").text == "1")
    }

    @Test func `a program refuses a newer format in words, and changes nothing`() throws {
        do {
            let server = try Service("--data", scratch.data)
            #expect(try server.ask("POST", "/v1/spaces/a/cart/add", #"{"productId": 1}"#).status == 200)
            server.program.kill(SIGTERM)
            #expect(server.program.wait() == 0)
        }
        let file = URL(fileURLWithPath: scratch.data + "/journal.sqlite")
        var bytes = Array(try Data(contentsOf: file))
        // `PRAGMA user_version`, the number of the schema.
        bytes[63] += 1
        try Data(bytes).write(to: file)
        let copy = scratch.path + "/copy"
        for arguments in [
            ["serve", "--port", "0", "--data", scratch.data], ["check", scratch.data], ["export", scratch.data],
            ["export", scratch.data, "--skip-damaged"], ["backup", scratch.data, copy], ["repair", scratch.data, copy],
        ] {
            let ending = try Program.run(arguments)
            #expect(ending.status == 1, "\(arguments)")
            #expect(ending.errors.contains("newer Headwater") && ending.errors.contains("Use that one"), "\(ending)")
        }
        #expect(Array(try Data(contentsOf: file)) == bytes)
        let line = #"{"space":"a","version":1,"at":0,"action":"a/b","changed":{"a.b":1},"export":4,"lines":1}"#
        let import_ = try Program.run("import", copy, input: try scratch.file("lines", line))
        #expect(import_.status == 1 && import_.errors.contains("newer Headwater"), "\(import_)")
    }
}
