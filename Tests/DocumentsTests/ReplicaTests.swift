import JSON
import StateStore
import Testing

@testable import Documents

/// The replica of a document: what it refuses, what it plans, and what clients get of the document.
struct ReplicaTests {
    private static func document(_ replica: String, _ more: String = "") -> String {
        #"""
        {"feature": "work", "home": "space",
         "types": {
           "Task": {"type": "object", "properties": {"project": {"type": "string"}, "title": {"type": "string"}, "pin": {"type": "string", "private": true, "default": "p-secret"}}, "required": ["project", "title"]}},
         "state": {
           "members": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"user": {"type": "string"}, "project": {"type": "string"}}, "required": ["user", "project"]}}, "indexes": {"byUser": {"by": ["row.user"]}}},
           "projects": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"owner": {"type": "string"}, "name": {"type": "string"}}, "required": ["owner"]}}, "indexes": {"byOwner": {"by": ["row.owner"]}}},
           "tasks": {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Task"}}, "indexes": {"byProject": {"by": ["row.project"]}, "byPin": {"by": ["row.pin"]}}, "initial": {"t0": {"project": "p0", "title": "first", "pin": "t-secret"}}},
           "notes": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"task": {"type": "string"}}, "required": ["task"]}}},
           "tags": {"table": {"key": {"type": "string"}, "row": {"type": "string"}}, "initial": {"red": "Red"}},
           "topic": {"value": {"type": "string"}, "initial": "none"},
           "code": {"value": {"type": "string", "private": true}, "initial": "c-secret"},
           "here": {"table": {"key": {"type": "string"}, "row": {"type": "string"}}, "kept": false}},
         "define": {"isBoss": {"is": "token.role == 'boss-rule'"}, "upper": {"of": {"text": {"type": "string"}}, "is": "text.upperAscii()"}},
         "actions": {
           "add": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "project": {"type": "string"}, "title": {"type": "string"}}, "required": ["id", "project", "title"]}, "require": [{"that": "!(input.id in state.tasks)", "else": {"detail": "no"}}, {"that": "size(index.byProject(input.project)) < 100", "else": {"detail": "no"}}], "do": [{"put": "tasks", "key": "input.id", "row": "{'project': input.project, 'title': upper(input.title)}"}], "allow": "isBoss()"},
           "wipe": {"do": [{"clear": "tasks"}]}, "count": {"do": [{"set": "topic", "to": "string(size(state.tasks))"}]},
           "walk": {"require": [{"that": "state.tasks.exists(k, state.tasks[k].title == 'a')", "else": {"detail": "no"}}], "do": [{"set": "topic", "to": "'x'"}]},
           "match": {"require": [{"that": "state.topic.matches('a+')", "else": {"detail": "no"}}], "do": [{"set": "topic", "to": "'x'"}]},
           "pin": {"do": [{"set": "topic", "to": "state.tasks['a'].pin"}]}, "say": {"do": [{"set": "topic", "to": "'x'"}], "predict": false},
           "price": {"input": {"type": "object", "properties": {"by": {"type": "number", "format": "decimal"}}, "required": ["by"]}, "do": [{"set": "topic", "to": "string(round(input.by, 2))"}]},
           "rare": {"do": [{"set": "topic", "to": "string(1u)"}]},
           "mark": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}, "do": [{"when": "true", "do": [{"update": "tasks", "key": "input.id", "with": "{'title': 'x'}"}], "else": [{"set": "topic", "to": "'x'"}]}, {"put": "members", "key": "input.id", "row": "{'user': 'a', 'project': 'p'}"}], "predict": false},
           "spread": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}, "do": [{"remove": "tasks", "key": "input.id"}, {"remove": "tasks", "key": "state.topic"}], "predict": false},
           "join": {"do": [{"put": "members", "key": "token.sub", "row": "{'user': token.sub, 'project': 'p'}"}]}},
         "views": {"topic": {"expression": "state.topic"}, "all": {"from": "tasks"}, "mine": {"from": "tasks", "where": "row.title == 'x'", "sort": "row.title", "local": true}, "parted": {"from": "tasks", "sort": "row.title"}, "tagCount": {"expression": "size(state.tags)"}, "ruled": {"expression": "state.topic", "allow": "isBoss()"}},
         "allow": {"read": "token.sub != 'rule-word'"},
         "replica": \#(replica)\#(more)}
        """#
    }

    private static let whole =
        #"{"projects": {"where": "index.byUser(token.sub).exists(k, state.members[k].project == key) || row.owner == token.sub || token.role == 'condition-word'"}, "tasks": {"of": "projects", "by": "row.project"}, "notes": {"of": "tasks", "by": "row.task"}, "topic": {}, "tags": {}}"#

    private static func feature(_ replica: String = whole) throws -> CompiledFeature {
        try #require(try compile(["work": parse(document(replica))])["work"] as? CompiledFeature)
    }

    /// Law DOC1
    @Test(arguments: [
        (#"{"nothing": {}}"#, "/replica/nothing: "), (#"{"topic": {"where": "true"}}"#, "/replica/topic/where: "),
        (#"{"here": {}}"#, "/replica/here: "),
        (#"{"tasks": {"of": "projects", "by": "row.project"}}"#, "/replica/tasks/of: "),
        (#"{"tasks": {"of": "tasks", "by": "row.project"}}"#, "/replica/tasks/of: "),
        (#"{"tasks": {"of": "projects"}, "projects": {}}"#, "/replica/tasks/by: "),
        (#"{"tasks": {"by": "row.project"}}"#, "/replica/tasks/of: "),
        (#"{"tasks": {"where": "row.title > 'a'"}}"#, "/replica/tasks/where: "),
        (#"{"tasks": {"where": "row.project == token.sub || row.title > 'a'"}}"#, "/replica/tasks/where: "),
        (#"{"tasks": {"where": "row.project == token.sub && row.title > state.topic"}}"#, "/replica/tasks/where: "),
        (#"{"tasks": {"where": "row.nothing == token.sub"}}"#, "/replica/tasks/where: "),
        (#"{"tasks": {"where": "row.project == token.sub && token == {}"}}"#, "/replica/tasks/where: "),
        (#"{"tasks": {"where": "row.title"}}"#, "/replica/tasks/where: "),
        (#"{"tasks": {"what": 1}}"#, "/replica/tasks/what: "), (#"{"tasks": 1}"#, "/replica/tasks: "),
        (
            #"{"projects": {}, "tasks": {"of": "projects", "by": "row.project"}, "notes": {"of": "tasks", "by": "row.task"}, "members": {"of": "notes", "by": "row.project"}}"#,
            "/replica/members/of: "
        ),
    ])
    func `a faulty replica is refused with its places`(_ replica: String, _ start: String) throws {
        let found = faults(try parse(Self.document(replica)))
        #expect(found.contains { $0.hasPrefix(start) }, "\(found)")
        #expect(found.allSatisfy { $0.hasPrefix("/replica") }, "\(found)")
    }

    @Test func `the plan names the indexes of a replica, and what clients compute or why not`() throws {
        let plan = try Self.feature().plan
        func entry(_ pointer: String, _ member: String) -> JSON? {
            plan.first { $0["pointer"] == .string(pointer) && $0[member] != nil }
        }
        #expect(entry("/replica/projects/where", "index")?["index"] == "byOwner")
        #expect(entry("/replica/tasks/by", "index")?["index"] == "byProject")
        #expect(entry("/replica/notes/by", "shared")?["shared"] == ["by": ["row.task"]])
        let add = entry("/actions/add", "predicted")
        #expect(add?["predicted"] == true, "\(add ?? .null)")
        #expect(entry("/actions/price", "predicted")?["predicted"] == true)
        let reasons = [
            "wipe": "clears tasks", "count": "all rows of tasks", "walk": "private members", "match": "no matches",
            "pin": "private", "rare": "no unsigned integers", "say": "predict", "join": "members, which is not",
        ]
        for (action, words) in reasons {
            let entry = try #require(entry("/actions/\(action)", "predicted"))
            #expect(entry["predicted"] == false)
            guard case .string(let reason)? = entry["reason"] else {
                Issue.record("\(action) has no reason")
                continue
            }
            #expect(reason.contains(words), "\(action): \(reason)")
        }
        let local = ["topic": true, "tagCount": true, "mine": true, "all": false, "parted": false, "ruled": false]
        for (view, isLocal) in local {
            #expect(entry("/views/\(view)", "local")?["local"] == .bool(isLocal), "\(view)")
        }
    }

    /// Law REPLICA1
    @Test func `the document for clients has what they perform, and no rule, condition or private value`() throws {
        let content = try #require(try Self.feature().client)
        let text = "\(content)"
        for word in [
            "secret", "rule", "condition-word", "allow", "byPin", "isBoss", "replica", "members", "code", "byUser",
        ] {
            #expect(!text.contains(word), "\(word) in \(text)")
        }
        #expect(content["state"]?["topic"] == ["value": ["type": "string"], "initial": "none"])
        #expect(content["state"]?["tags"]?["initial"] == ["red": "Red"])
        #expect(content["state"]?["tasks"]?["partial"] == true && content["state"]?["tasks"]?["initial"] == nil)
        #expect(content["state"]?["tasks"]?["indexes"] == ["byProject": ["by": ["row.project"]]])
        #expect(content["types"]?["Task"]?["properties"]?["pin"] == ["private": true])
        #expect(content["actions"]?["add"]?["do"] != nil && content["actions"]?["add"]?["require"] != nil)
        // Of an action that clients do not predict, they learn what it may write of the replicated state.
        #expect(content["actions"]?["walk"] == ["predict": false, "writes": [["state": "topic"]]])
        #expect(
            content["actions"]?["mark"]?["writes"] == [["state": "tasks", "key": "input.id"], ["state": "topic"]])
        #expect(content["actions"]?["spread"]?["writes"] == [["state": "tasks"]])
        #expect(content["define"]?["upper"]?["is"] == "text.upperAscii()")
        let views = try #require(content["views"]?.members)
        #expect(Set(views) == ["topic", "mine", "tagCount"])
    }

    /// Law REPLICA1
    @Test func `clients compute no search, no time, and no order that their engine lacks`() throws {
        let json = try parse(
            #"""
            {"feature": "notes", "home": "space",
             "state": {"notes": {
               "table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"title": {"type": "string"}, "at": {"type": "string", "format": "date-time"}}, "required": ["title", "at"]}},
               "indexes": {"words": {"search": ["row.title"]}, "byTitle": {"sort": [{"by": "row.title", "collation": "root"}]}, "byPlain": {"by": ["text.plain(row.title)"], "unique": true}, "byTime": {"sort": [{"by": "-row.at"}, "row.title"]}}}},
             "actions": {"last": {"do": [{"remove": "notes", "key": "index.byTitle().firstKey()"}]}, "first": {"do": [{"remove": "notes", "key": "index.byTime().firstKey()"}]}},
             "views": {
               "found": {"from": "notes", "search": {"index": "words", "for": "'a'"}, "sort": "row.title"},
               "late": {"every": "1m", "from": "notes", "where": "timestamp(row.at) < now", "sort": "row.at"},
               "time": {"every": "1m", "expression": "now"},
               "collated": {"from": "notes", "sort": [{"by": "row.title", "collation": "root"}]},
               "sorted": {"from": "notes", "sort": [{"by": "-row.at"}, "row.title"]},
               "bare": {"from": "notes", "sort": {"by": "row.at"}}},
             "replica": {"notes": {}}}
            """#)
        let feature = try #require(try compile(["notes": json])["notes"] as? CompiledFeature)
        let content = try #require(feature.client)
        #expect(Set(content["views"]?.members ?? []) == ["sorted", "bare"])
        #expect(content["views"]?["sorted"]?["sort"] == ["-row.at", "row.title"])
        #expect(content["views"]?["bare"]?["sort"] == "row.at")
        #expect(content["state"]?["notes"]?["indexes"] == ["byTime": ["sort": ["-row.at", "row.title"]]])
        #expect(content["actions"]?["last"]?["predict"] == false && content["actions"]?["first"]?["do"] != nil)
        for (pointer, words) in [
            ("/views/found", "searches words"), ("/views/late", "now"), ("/views/time", "now"),
            ("/views/collated", "text.order"), ("/actions/last", "text.order, which the index byTitle calls"),
        ] {
            let reason = feature.plan.first { $0["pointer"] == .string(pointer) && $0["reason"] != nil }?["reason"]
            guard case .string(let text)? = reason else {
                Issue.record("\(pointer) has no reason")
                continue
            }
            #expect(text.contains(words), "\(pointer): \(text)")
        }
    }

    @Test func `a document without a replica has no document for clients`() throws {
        let feature = try #require(
            try compile([
                "plain": parse(
                    #"{"feature": "plain", "home": "space", "state": {"a": {"value": {"type": "string"}, "initial": ""}}}"#
                )
            ])["plain"])
        #expect(feature.client == nil && !feature.isPredicted("add"))
        #expect(try Self.feature().isPredicted("add") && !(try Self.feature().isPredicted("say")))
    }
}

extension JSON {
    /// The names of the members of an object; nil for another value.
    fileprivate var members: [String]? { if case .object(let object) = self { object.map(\.key) } else { nil } }
}
