import Hosting
import Documents
import Foundation
import JSON
import SQLiteJournal
import ServiceInProcess
import StateStore
import Testing

/// A server whose document shows the rows of a table in the order of their first adding.
final class AddingStand {
    /// The document; `extra` are members of the table.
    static func document(_ extra: String = "") -> String {
        #"""
        {"feature": "t", "home": "space",
         "state": {"rows": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
             "n": {"type": "integer"}, "pin": {"type": "string", "private": true, "default": ""}},
             "required": ["n"]}} \#(extra)},
           "names": {"table": {"key": {"type": "string"}, "row": {"type": "string"}}}},
         "actions": {
           "put": {"input": {"type": "object", "properties": {"k": {"type": "string"}, "n": {"type": "integer"}},
             "required": ["k", "n"]}, "do": [{"put": "rows", "key": "input.k", "row": "{'n': input.n}"}]},
           "several": {"input": {"type": "object", "properties": {"keys": {"type": "array",
             "items": {"type": "string"}}}, "required": ["keys"]},
             "do": [{"each": "input.keys", "as": "k", "do": [{"put": "rows", "key": "k", "row": "{'n': 0}"}]}]},
           "update": {"input": {"type": "object", "properties": {"k": {"type": "string"}, "n": {"type": "integer"}},
             "required": ["k", "n"]}, "do": [{"update": "rows", "key": "input.k", "with": "{'n': input.n}"}]},
           "remove": {"input": {"type": "object", "properties": {"k": {"type": "string"}}, "required": ["k"]},
             "do": [{"remove": "rows", "key": "input.k"}]},
           "name": {"input": {"type": "object", "properties": {"k": {"type": "string"}}, "required": ["k"]},
             "do": [{"put": "names", "key": "input.k", "row": "input.k"}]},
           "label": {"input": {"type": "object", "properties": {"k": {"type": "string"}, "text": {"type": "string"}},
             "required": ["k", "text"]}, "do": [{"put": "names", "key": "input.k", "row": "input.text"}]},
           "unlabel": {"input": {"type": "object", "properties": {"k": {"type": "string"}}, "required": ["k"]},
             "do": [{"remove": "names", "key": "input.k"}]},
           "renew": {"input": {"type": "object", "properties": {"k": {"type": "string"}}, "required": ["k"]},
             "do": [{"remove": "rows", "key": "input.k"}, {"put": "rows", "key": "input.k", "row": "{'n': 7}"}]},
           "clear": {"input": {"type": "object", "properties": {"k": {"type": "string"}}, "required": ["k"]},
             "do": [{"clear": "rows"}, {"put": "rows", "key": "input.k", "row": "{'n': 8}"}]}},
         "views": {
           "all": {"from": "rows", "select": "key + string(row.n)"},
           "rows": {"from": "rows"},
           "labels": {"from": "names", "select": "key"},
           "even": {"from": "rows", "where": "row.n % 2 == 0", "select": "key"},
           "first": {"from": "rows", "limit": 2, "select": "key"},
           "joined": {"from": "rows", "join": {"names": "key"}, "select": "[key, joined.names == null ? '-' : joined.names]"},
           "sorted": {"from": "rows", "sort": "row.n", "select": "key"},
           "keys": {"expression": "state.rows.map(k, k)"}}}
        """#
    }

    let root = FileManager.default.temporaryDirectory.appending(path: "adding-\(UUID().uuidString)")
    private(set) var images = 0
    private(set) var service: ServiceInProcess
    private var lastTime: Int64 = 0

    init(_ extra: String = "") throws {
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        service = try Self.service(in: root.appending(path: "0").path)
        try put(extra)
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    private static func service(in directory: String, startingAt time: Int64 = 0) throws -> ServiceInProcess {
        let service = try ServiceInProcess(
            directory: directory, history: 500, startingAt: time, documents: FeatureCompiler(), features: [])
        service.idleLimit = 1
        return service
    }

    var directory: String { root.appending(path: "\(images)").path }

    func put(_ extra: String = "") throws {
        let reply = try service.ask("PUT /v1/features/t", [:], Self.document(extra))
        #expect(reply.status < 300, "\(reply.body)")
    }

    @discardableResult
    func act(_ action: String, _ body: String, in space: String = "a") throws -> Int {
        let reply = try service.ask("POST /v1/spaces/\(space)/t/\(action)", [:], body)
        #expect(reply.status == 200, "\(reply.body)")
        guard case .number(let version)? = try reply.json["version"] else { return 0 }
        return Int(version.int64 ?? 0)
    }

    func view(_ name: String, in space: String = "a", _ query: String = "") throws -> JSON {
        let reply = try service.ask("GET /v1/spaces/\(space)/t/\(name)\(query)")
        #expect(reply.status == 200, "\(reply.body)")
        return try reply.json
    }

    /// Closes the journal, and begins again after `body`.
    func restart(_ body: () throws -> Void = {}) throws {
        lastTime = service.close()
        try body()
        service = try Self.service(in: directory, startingAt: lastTime)
    }

    /// Begins on an image of the directory, as a kill leaves it.
    func kill() throws {
        let old = directory
        images += 1
        try FileManager.default.copyItem(atPath: old, toPath: directory)
        service = try Self.service(in: directory)
    }

    /// Begins on an import of an export.
    func move() throws {
        try restart {
            var lines: [[UInt8]] = []
            try SQLiteJournal.export(directory) { lines.append($0) }
            images += 1
            var rest = lines[...]
            try SQLiteJournal.import(into: directory) { rest.popFirst() }
        }
    }
}
