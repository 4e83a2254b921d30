import Hosting
import Documents
import JSON
import ServiceInProcess
import StateStore
import Testing

@testable import HeadwaterServer

/// Replicas on steered streams.
@Suite struct ReplicaStreamTests {
    static func document(_ more: String = "", read: String = "true") -> String {
        #"""
        {"feature": "work", "home": "space",
         "state": {
           "members": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"user": {"type": "string"}, "project": {"type": "string"}}, "required": ["user", "project"]}}, "indexes": {"byUser": {"by": ["row.user"]}}},
           "projects": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"owner": {"type": "string"}, "pin": {"type": "string", "private": true, "default": "pin-secret"}}, "required": ["owner"]}}},
           "tasks": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"project": {"type": "string"}, "n": {"type": "integer", "default": 0}, "text": {"type": "string", "default": ""}}, "required": ["project"]}}, "indexes": {"byProject": {"by": ["row.project"]}}},
           "notes": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"task": {"type": "string"}}, "required": ["task"]}}},
           "tags": {"table": {"key": {"type": "string"}, "row": {"type": "string"}}},
           "topic": {"value": {"type": "string"}, "initial": "none"}, "locked": {"value": {"type": "string"}, "initial": ""}},
         "actions": {
           "member": {"input": {"type": "object", "properties": {"key": {"type": "string"}, "user": {"type": "string"}, "project": {"type": "string"}}, "required": ["key", "user", "project"]}, "do": [{"put": "members", "key": "input.key", "row": "{'user': input.user, 'project': input.project}"}]},
           "leave": {"input": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}, "do": [{"remove": "members", "key": "input.key"}]},
           "project": {"input": {"type": "object", "properties": {"key": {"type": "string"}, "owner": {"type": "string"}}, "required": ["key", "owner"]}, "do": [{"put": "projects", "key": "input.key", "row": "{'owner': input.owner}"}]},
           "drop": {"input": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}, "do": [{"remove": "projects", "key": "input.key"}]},
           "task": {"input": {"type": "object", "properties": {"key": {"type": "string"}, "project": {"type": "string"}, "n": {"type": "integer", "default": 0}, "text": {"type": "string", "default": ""}}, "required": ["key", "project"]}, "do": [{"put": "tasks", "key": "input.key", "row": "{'project': input.project, 'n': input.n, 'text': input.text}"}]},
           "undo": {"input": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}, "do": [{"remove": "tasks", "key": "input.key"}]},
           "note": {"input": {"type": "object", "properties": {"key": {"type": "string"}, "task": {"type": "string"}}, "required": ["key", "task"]}, "do": [{"put": "notes", "key": "input.key", "row": "{'task': input.task}"}]},
           "tag": {"input": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}, "do": [{"put": "tags", "key": "input.key", "row": "'t' + input.key"}]},
           "clear": {"do": [{"clear": "tags"}]},
           "name": {"input": {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]}, "do": [{"set": "topic", "to": "input.topic"}]},
           "lock": {"input": {"type": "object", "properties": {"user": {"type": "string"}}, "required": ["user"]}, "do": [{"set": "locked", "to": "input.user"}]}},
         "views": {"topic": {"expression": "state.topic"}, "count": {"expression": "size(state.tasks)"}},
         "allow": {"read": "\#(read)"},
         "replica": {
           "projects": {"where": "row.owner == token.sub || index.byUser(token.sub).exists(k, state.members[k].project == key)"},
           "tasks": {"of": "projects", "by": "row.project"}, "notes": {"of": "tasks", "by": "row.task"}, "topic": {}, "tags": {}}\#(more)}
        """#
    }

    private static let name = "main/work!replica"

    /// The state as a program without indexes and streams computes it.
    private struct Model {
        var members: [String: (user: String, project: String)] = [:]
        var projects: [String: String] = [:]
        var tasks: [String: (project: String, n: Int, text: String)] = [:]
        var notes: [String: String] = [:]
        var tags: Set<String> = []
        var topic = "none"

        /// What one caller holds.
        func replica(of user: String) -> JSON {
            let held = projects.filter { project in
                project.value == user || members.values.contains { $0.user == user && $0.project == project.key }
            }
            let heldTasks = tasks.filter { held[$0.value.project] != nil }
            let heldNotes = notes.filter { heldTasks[$0.value] != nil }
            func table(_ rows: [(String, JSON)]) -> JSON {
                var object = JSON.Object()
                for (key, row) in rows.sorted(by: { $0.0 < $1.0 }) { object[key] = row }
                return .object(object)
            }
            return [
                "projects": table(held.map { ($0.key, ["owner": .string($0.value)]) }),
                "tasks": table(
                    heldTasks.map { task in
                        (
                            task.key,
                            [
                                "project": .string(task.value.project), "n": .number(Decimal(task.value.n)),
                                "text": .string(task.value.text),
                            ]
                        )
                    }),
                "notes": table(heldNotes.map { ($0.key, ["task": .string($0.value)]) }),
                "tags": table(tags.map { ($0, .string("t\($0)")) }), "topic": .string(topic),
            ]
        }
    }

    static func service(_ document: String = document()) throws -> ServiceInProcess {
        let service = try ServiceInProcess(
            tokenFile: ServiceInProcess.people, documents: FeatureCompiler(), features: [])
        let reply = try service.ask("PUT /v1/features/work", ServiceInProcess.person("root"), document)
        #expect(reply.status == 201, "\(reply.body)")
        return service
    }

    private static func act(_ service: ServiceInProcess, _ action: String, _ input: JSON) throws {
        let reply = try service.ask(
            "POST /v1/spaces/main/work/\(action)", ServiceInProcess.person("root"), "\(input)")
        #expect(reply.status == 200, "\(action) \(input): \(reply.body)")
    }

    private static func open(_ service: ServiceInProcess, _ user: String, _ tag: String?) throws -> SteeredClient {
        let watch = tag.map { "\"\($0)\"" } ?? "null"
        return try SteeredClient(
            service, "{\"watch\": {\"\(name)\": \(watch)}, \"delta\": \"json-patch\"}", ServiceInProcess.person(user))
    }

    /// Law REPLICA2
    @Test(arguments: [1, 2, 4] as [UInt64])
    func `a replica is what its caller may hold, through commits, departures and returns`(_ seed: UInt64) throws {
        let service = try Self.service()
        var random = Randomness(seed: seed)
        func one(_ letter: String, _ count: Int) -> String { "\(letter)\(Int.random(in: 0..<count, using: &random))" }
        var model = Model()
        var clients: [String: SteeredClient] = [:]
        var kept: [String: (shown: JSON, tag: String)] = [:]
        var returns = 0
        for step in 0..<100 {
            let user = ["ada", "bob"].randomElement(using: &random) ?? "ada"
            switch Int.random(in: 0..<14, using: &random) {
            case 0, 1:
                let (key, project) = (one("m", 6), one("p", 4))
                model.members[key] = (user, project)
                try Self.act(
                    service, "member",
                    ["key": .string(key), "user": .string(user), "project": .string(project)])
            case 2:
                let key = one("m", 6)
                model.members[key] = nil
                try Self.act(service, "leave", ["key": .string(key)])
            case 3:
                let (key, owner) = (one("p", 4), ["ada", "bob", "cid"].randomElement(using: &random) ?? "")
                model.projects[key] = owner
                try Self.act(service, "project", ["key": .string(key), "owner": .string(owner)])
            case 4:
                let key = one("p", 4)
                model.projects[key] = nil
                try Self.act(service, "drop", ["key": .string(key)])
            case 5, 6, 7:
                let (key, project, n) = (one("t\"\\é", 8), one("p", 4), Int.random(in: 0..<3, using: &random))
                model.tasks[key] = (project, n, "x\"\\")
                try Self.act(
                    service, "task",
                    [
                        "key": .string(key), "project": .string(project), "n": .number(Decimal(n)),
                        "text": "x\"\\",
                    ])
            case 8:
                let key = one("t\"\\é", 8)
                model.tasks[key] = nil
                try Self.act(service, "undo", ["key": .string(key)])
            case 9:
                let (key, task) = (one("n", 6), one("t\"\\é", 8))
                model.notes[key] = task
                try Self.act(service, "note", ["key": .string(key), "task": .string(task)])
            case 10:
                if Bool.random(using: &random) {
                    model.tags = []
                    try Self.act(service, "clear", [:])
                } else {
                    let key = one("g", 5)
                    model.tags.insert(key)
                    try Self.act(service, "tag", ["key": .string(key)])
                }
            case 11:
                model.topic = one("topic", 3)
                try Self.act(service, "name", ["topic": .string(model.topic)])
            case 12:
                guard let client = clients.removeValue(forKey: user) else { continue }
                client.read()
                if let shown = client.shown[Self.name], let tag = client.tags[Self.name] { kept[user] = (shown, tag) }
                client.close()
            default:
                guard clients[user] == nil else { continue }
                let known = kept[user]
                let client = try Self.open(service, user, known?.tag)
                if let known {
                    client.keep([Self.name: known.shown], [Self.name: known.tag], only: [Self.name])
                    client.replay()
                    returns += 1
                    #expect(client.snapshotsCount == 0, "a return within the history gets the net change, seed \(seed)")
                }
                clients[user] = client
            }
            for (user, client) in clients {
                client.read()
                #expect(client.shown[Self.name] == model.replica(of: user), "seed \(seed), step \(step), \(user)")
                #expect(client.snapshotsCount <= 1)
            }
        }
        #expect(returns > 0)
    }

    /// Law REPLICA3
    @Test func `a commit costs a reader the rows that concern it`() throws {
        let service = try Self.service()
        for number in 0..<50 {
            try Self.act(service, "project", ["key": .string("p\(number)"), "owner": .string("u\(number)")])
            try Self.act(service, "task", ["key": .string("t\(number)"), "project": .string("p\(number)")])
        }
        try Self.act(service, "project", ["key": "mine", "owner": "ada"])
        let client = try Self.open(service, "ada", nil)
        client.read()
        #expect(client.snapshotsCount == 1 && client.rowsCount == 0)
        for number in 0..<50 {
            try Self.act(service, "task", ["key": .string("t\(number)"), "project": .string("p\(number)"), "n": 1])
        }
        client.read()
        #expect(client.rowsCount == 0 && client.events.count == 1, "\(client.events)")
        try Self.act(service, "task", ["key": "t7", "project": "mine"])
        #expect(client.read().count == 1 && client.rowsCount == 1)
        try Self.act(service, "drop", ["key": "mine"])
        #expect(client.read().count == 1 && client.rowsCount == 3, "\(client.events)")
    }

    /// Law REPLICA2
    @Test func `a large snapshot comes in parts that are applied together`() throws {
        let service = try Self.service()
        try Self.act(service, "project", ["key": "mine", "owner": "ada"])
        let text = String(repeating: "x", count: 40_000)
        for number in 0..<20 {
            try Self.act(
                service, "task", ["key": .string("t\(number)"), "project": "mine", "text": .string(text)])
        }
        let client = try Self.open(service, "ada", nil)
        // The connection takes the parts one after the other.
        for _ in 0..<64 { client.read() }
        #expect(client.partsCount >= 3)
        #expect(client.snapshotsCount == 1)
        let isWhole = client.shown[Self.name]?["tasks"]?["t19"]?["text"] == .string(text)
        #expect(isWhole)
        let tagged = client.events.indices.filter { client.events[$0]["_tags"] != nil }
        #expect(tagged == [client.events.count - 1])
        let hasMore = client.events.map { $0["_more"] != nil }
        #expect(hasMore == Array(repeating: true, count: client.partsCount) + [false])
    }

    /// Law REPLICA2
    @Test func `rules hold, private members are absent, and no other road has a replica`() throws {
        let service = try Self.service(Self.document(read: "state.locked != token.sub"))
        try Self.act(service, "project", ["key": "mine", "owner": "ada"])
        let client = try Self.open(service, "ada", nil)
        client.read()
        #expect(client.shown[Self.name]?["projects"] == ["mine": ["owner": "ada"]])
        try Self.act(service, "lock", ["user": "ada"])
        client.read()
        #expect(client.shown[Self.name] == nil && client.gone[Self.name]?["status"] == 403)
        try Self.act(service, "lock", ["user": ""])
        client.read()
        #expect(client.shown[Self.name]?["projects"] == ["mine": ["owner": "ada"]])
        for line in [
            "GET /v1/spaces/main/work/~replica", "GET /v1/spaces/main/work/!replica",
            "GET /v1/spaces/main/views?view=work.~replica", "GET /v1/live?watch=main/work!replica&events=1",
            "GET /v1/live?watch=main/work.~replica&events=1", "GET /v1/spaces/main/work/~replica/history",
            "GET /v1/spaces/main/views/diff?from=1&to=2&view=work.~replica",
        ] {
            let reply = try service.ask(line, ServiceInProcess.person("root"))
            #expect([404, 422].contains(reply.status), "\(line): \(reply.status) \(reply.body)")
        }
        let views = try service.ask("GET /v1/spaces/main/views", ServiceInProcess.person("root"))
        #expect(!views.body.contains("~replica") && !views.body.contains("pin-secret"))
        let other = try SteeredClient(
            service, #"{"watch": {"main/work.~replica": null, "main/none!replica": null, "x!replica": null}}"#,
            ServiceInProcess.person("ada"))
        other.read()
        #expect(other.gone.count == 3 && other.shown.isEmpty, "\(other.events)")
    }

    /// Law REPLICA2
    @Test func `with another document a snapshot replaces all`() throws {
        let service = try Self.service()
        try Self.act(service, "project", ["key": "mine", "owner": "ada"])
        let client = try Self.open(service, "ada", nil)
        client.read()
        let tag = try #require(client.tags[Self.name])
        let shown = try #require(client.shown[Self.name])
        let changed = Self.document(#", "define": {"x": {"is": "1"}}"#).replacing(
            "'t' + input.key", with: "'u' + input.key")
        #expect(try service.ask("PUT /v1/features/work", ServiceInProcess.person("root"), changed).status == 200)
        client.read()
        #expect(client.snapshotsCount == 2 && client.shown[Self.name] == shown)
        let other = try Self.open(service, "ada", tag)
        other.read()
        #expect(other.snapshotsCount == 1 && other.shown[Self.name] == shown)
    }
}
