import Hosting
import Documents
import JSON
import ServiceInProcess
import Testing

/// Documents that rename, split, drop and seed state, and rehearsals against the stored data.
@Suite struct MigrationRequestTests {
    private static let main = "/v1/spaces/main"

    private static func document(_ state: String, _ more: String = "", views: String) -> String {
        #"""
        {"feature": "crm", "home": "space", "state": {\#(state)}, \#(more)
          "actions": {"nothing": {"do": []}}, "views": {\#(views)}}
        """#
    }

    private static let people = #"""
        {"feature": "crm", "home": "space",
          "state": {"people": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
              "name": {"type": "string"}, "city": {"type": "string", "default": "Ulm"}}, "required": ["name"]}},
              "initial": {"zed": {"name": "Zed"}}},
            "title": {"value": {"type": "string"}, "initial": "none"}},
          "actions": {"add": {"input": {"type": "object", "properties": {"id": {"type": "string"},
              "name": {"type": "string"}}, "required": ["id", "name"]},
              "do": [{"put": "people", "key": "input.id", "row": "{'name': input.name}"}]},
            "entitle": {"input": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]},
              "do": [{"set": "title", "to": "input.to"}]}},
          "views": {"all": {"from": "people"}, "title": {"expression": "state.title"}}}
        """#

    /// A service whose space `main` has three people, and whose space `idle` has none of its own.
    private func service(directory: String? = nil) throws -> ServiceInProcess {
        let service = try ServiceInProcess(directory: directory)
        let put = try service.ask("PUT /v1/features/crm", [:], Self.people)
        #expect(put.status == 201, "\(put.body)")
        for (id, name) in [("b", "Bob"), ("a", "Ada")] {
            #expect(
                try service.ask("POST \(Self.main)/crm/add", [:], #"{"id": "\#(id)", "name": "\#(name)"}"#).status
                    == 200)
        }
        #expect(try service.ask("POST \(Self.main)/crm/entitle", [:], #"{"to": "friends"}"#).status == 200)
        return service
    }

    private static let contacts = document(
        #"""
        "contacts": {"was": "people", "table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
          "fullName": {"type": "string", "was": "name"}, "city": {"type": "string", "default": "Ulm"}},
          "required": ["fullName"]}}},
        "heading": {"was": "title", "value": {"type": "string"}, "initial": "none"}
        """#, views: #""all": {"from": "contacts"}, "heading": {"expression": "state.heading"}"#)

    private static let renamed: JSON = [
        ["key": "zed", "row": ["fullName": "Zed", "city": "Ulm"]],
        ["key": "b", "row": ["fullName": "Bob", "city": "Ulm"]],
        ["key": "a", "row": ["fullName": "Ada", "city": "Ulm"]],
    ]

    // Law DOC14
    @Test func `tables, variables and members keep their values under new names, in their order`() throws {
        let service = try service()
        let put = try service.ask("PUT /v1/features/crm", [:], Self.contacts)
        #expect(put.status == 200, "\(put.body)")
        #expect(try service.ask("GET \(Self.main)/crm/all").json == Self.renamed)
        #expect(try service.ask("GET \(Self.main)/crm/heading").body == "\"friends\"")
        let changes = try service.ask("GET \(Self.main)/changes").json
        guard case .array(let all) = changes, let last = all.last else { return #expect(Bool(false)) }
        #expect(last["action"] == "features/migrated")
        // Put again, the names are ignored.
        #expect(try service.ask("PUT /v1/features/crm", [:], Self.contacts).status == 200)
        #expect(try service.ask("GET \(Self.main)/crm/all").json == Self.renamed)
        #expect(
            try service.ask("GET /v1/features/crm/migration").json == ["left": 0, "done": 1, "failing": 0])
    }

    // Law DOC14
    @Test func `a space that sleeps has the new names when it is next used, also after two documents`() throws {
        let service = try service()
        service.idleLimit = 0
        for index in 0..<10 { _ = try service.ask("GET /v1/spaces/other\(index)/crm/all") }
        let put = try service.ask("PUT /v1/features/crm", [:], Self.contacts)
        #expect(put.status == 200, "\(put.body)")
        let third = Self.contacts.replacing(#""contacts": {"was": "people""#, with: #""friends": {"was": "contacts""#)
            .replacing(#""from": "contacts""#, with: #""from": "friends""#)
        let again = try service.ask("PUT /v1/features/crm", [:], third)
        #expect(again.status == 200, "\(again.body)")
        #expect(try service.ask("GET \(Self.main)/crm/all").json == Self.renamed)
        #expect(try service.ask("GET \(Self.main)/crm/heading").body == "\"friends\"")
    }

    @Test func `a document that leaves out stored state is refused with the names and numbers`() throws {
        let service = try service()
        let other = Self.document(
            #""other": {"value": {"type": "integer"}, "initial": 0}"#, views: #""other": {"expression": "state.other"}"#
        )
        let refused = try service.ask("PUT /v1/features/crm", [:], other)
        let problem = try refused.json
        #expect(refused.status == 422 && problem["pointer"] == "/drops", "\(refused.body)")
        #expect(
            problem["lost"] == [
                ["name": "people", "spaces": 1, "rows": 3], ["name": "title", "spaces": 1, "rows": 0],
            ])
        #expect(try service.ask("GET \(Self.main)/crm/title").body == "\"friends\"")
        let dropping = Self.document(
            #""other": {"value": {"type": "integer"}, "initial": 0}"#, #""drops": ["people", "title"],"#,
            views: #""other": {"expression": "state.other"}"#)
        #expect(try service.ask("PUT /v1/features/crm", [:], dropping).status == 200)
        // What was dropped does not come back.
        #expect(try service.ask("GET \(Self.main)/crm/other").body == "0")
        let back = try service.ask(
            "PUT /v1/features/crm", [:],
            Self.people.replacing(#""feature": "crm","#, with: #""feature": "crm", "drops": ["other"],"#))
        #expect(back.status == 200, "\(back.body)")
        #expect(try service.ask("GET \(Self.main)/crm/title").body == "\"none\"")
        #expect(!(try service.ask("GET \(Self.main)/crm/all").body.contains("Ada")))
    }

    @Test func `a table is made of the rows of another one, once`() throws {
        let service = try service()
        let split = Self.document(
            #"""
            "people": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
              "name": {"type": "string"}, "city": {"type": "string", "default": "Ulm"}}, "required": ["name"]}}},
            "homes": {"from": {"table": "people", "where": "key != 'zed'", "key": "'home-' + key", "row": "{'city': row.city}"},
              "table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"city": {"type": "string"}}}}},
            "title": {"value": {"type": "string"}, "initial": "none"}
            """#, views: #""homes": {"from": "homes"}, "people": {"from": "people", "count": true}"#)
        let put = try service.ask("PUT /v1/features/crm", [:], split)
        #expect(put.status == 200, "\(put.body)")
        #expect(
            try service.ask("GET \(Self.main)/crm/homes").json == [
                ["key": "home-b", "row": ["city": "Ulm"]], ["key": "home-a", "row": ["city": "Ulm"]],
            ])
        #expect(try service.ask("GET \(Self.main)/crm/people").body == "3")
        // The source goes, if it is not declared.
        let fresh = try self.service()
        let only = Self.document(
            #"""
            "homes": {"from": {"table": "people", "row": "{'city': row.city}"},
              "table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"city": {"type": "string"}}}}},
            "title": {"value": {"type": "string"}, "initial": "none"}
            """#, views: #""homes": {"from": "homes", "count": true}"#)
        let made = try fresh.ask("PUT /v1/features/crm", [:], only)
        #expect(made.status == 200, "\(made.body)")
        #expect(try fresh.ask("GET \(Self.main)/crm/homes").body == "3")
    }

    // The rows of `people` have a name and a city, and any text is a key.
    @Test(
        arguments: [
            (#"{"table": "people"}"#, #"{"properties": {"name": {"type": "integer"}}}"#, "", "row"),
            (
                #"{"table": "people"}"#, #"{"properties": {"size": {"type": "integer"}}, "required": ["size"]}"#,
                "", "row"
            ),
            (
                #"{"table": "people"}"#, #"{"properties": {"name": {"type": "string"}, "city": {"type": "string"}}}"#,
                #", "maxLength": 2"#, "key"
            ),
            (
                #"{"table": "people"}"#, #"{"properties": {"name": {"type": "string"}, "city": {"type": "string"}}}"#,
                "", nil
            ),
            (
                #"{"table": "people", "row": "{'size': 1}"}"#,
                #"{"properties": {"size": {"type": "integer"}}, "required": ["size"]}"#, "", nil
            ),
            (#"{"table": "nobody"}"#, #"{"properties": {"name": {"type": "integer"}}}"#, "", nil),
        ] as [(String, String, String, String?)])
    func `a table is made of another one as it is only if its rows fit`(
        _ source: String, _ row: String, _ key: String, _ fault: String?
    ) throws {
        let service = try service()
        let copy = Self.document(
            #"""
            "copies": {"from": \#(source), "table": {
              "key": {"type": "string"\#(key)}, "row": {"type": "object", \#(row.dropFirst())}},
            "title": {"value": {"type": "string"}, "initial": "none"}
            """#, #""drops": ["people"],"#, views: #""copies": {"from": "copies", "count": true}"#)
        let put = try service.ask("PUT /v1/features/crm", [:], copy)
        guard let fault else {
            #expect(put.status == 200, "\(put.body)")
            #expect(try service.ask("GET \(Self.main)/crm/copies").body == (source.contains("nobody") ? "0" : "3"))
            return
        }
        #expect(put.status == 422 && put.body.contains("/state/copies/table/\(fault)"), "\(put.body)")
        #expect(put.body.contains(#"or write \"\#(fault)\""#), "\(put.body)")
        #expect(try service.ask("GET \(Self.main)/crm/title").body == "\"friends\"")
    }

    @Test func `initial rows that are added later reach used spaces if declared`() throws {
        let service = try service()
        let seeded = Self.people.replacing(
            #""initial": {"zed": {"name": "Zed"}}"#,
            with:
                #""seed": "always", "initial": {"zed": {"name": "Zed"}, "yan": {"name": "Yan"}, "a": {"name": "Not"}}"#)
        #expect(try service.ask("PUT /v1/features/crm", [:], seeded).status == 200)
        let all = try service.ask("GET \(Self.main)/crm/all").body
        #expect(all.contains("Yan") && all.contains("Ada") && !all.contains("Not"))
    }

    @Test func `a rehearsal counts what changes, shows examples, and names the rows that fail`() throws {
        let service = try service()
        let stricter = Self.people.replacing(
            #""name": {"type": "string"}, "city""#,
            with:
                #""name": {"type": "string", "maxLength": 3, "pattern": "^[A-Z]"}, "age": {"type": "integer", "default": 7}, "city""#
        )
        #expect(try service.ask("POST \(Self.main)/crm/add", [:], #"{"id": "e", "name": "eve"}"#).status == 200)
        #expect(try service.ask("PUT /v1/features/crm", [:], stricter).status == 422)
        let reply = try service.ask("PUT /v1/features/crm?rehearse=1", [:], stricter)
        let report = try reply.json
        #expect(reply.status == 200 && report["spaces"] == 1, "\(reply.body)")
        #expect(report["rows"]?["people"] == ["kept": 0, "changed": 3, "failing": 1])
        guard case .array(let failing)? = report["failing"], case .array(let examples)? = report["examples"] else {
            return #expect(Bool(false), "\(reply.body)")
        }
        #expect(failing.count == 1 && failing[0]["key"] == "e" && failing[0]["pointer"] == "/name")
        #expect(examples.count == 3 && examples[0]["after"]?["age"] == 7 && examples[0]["before"]?["age"] == nil)
        #expect(try service.ask("GET /v1/features/crm").json == JSON(parsing: Array(Self.people.utf8)))
        let renaming = try service.ask("PUT /v1/features/crm?rehearse=1", [:], Self.contacts)
        #expect(try renaming.json["rows"]?["contacts"] == ["kept": 0, "changed": 4, "failing": 0], "\(renaming.body)")
        #expect(try service.ask("GET \(Self.main)/crm/title").body == "\"friends\"")
    }

    @Test func `a rehearsal of a table made of another one hides private members, and counts its rows only`() throws {
        let service = try service()
        let secret = Self.people.replacing(
            #""city": {"type": "string", "default": "Ulm"}}"#,
            with:
                #""city": {"type": "string", "default": "Ulm"}, "pin": {"type": "string", "private": true, "default": "s3cret"}}"#
        )
        let put = try service.ask("PUT /v1/features/crm", [:], secret)
        #expect(put.status == 200, "\(put.body)")
        #expect(try service.ask("POST \(Self.main)/crm/add", [:], #"{"id": "c", "name": "Cy"}"#).status == 200)
        let made = Self.document(
            #"""
            "homes": {"from": {"table": "people", "where": "key != 'zed'", "row": "{'city': row.city}"},
              "table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"city": {"type": "string"}}}}},
            "title": {"value": {"type": "string"}, "initial": "none"}
            """#, views: #""homes": {"from": "homes", "count": true}"#)
        let reply = try service.ask("PUT /v1/features/crm?rehearse=1", [:], made)
        #expect(try reply.json["rows"] == ["homes": ["kept": 0, "changed": 3, "failing": 0]], "\(reply.body)")
        #expect(!reply.body.contains("s3cret") && reply.body.contains(#""pin":null"#), "\(reply.body)")
    }

    @Test func `a rehearsal that is answered later has a path of its own`() throws {
        let service = try service()
        let now = try service.ask("PUT /v1/features/crm?rehearse=1", [:], Self.contacts)
        let later = try service.ask(
            "PUT /v1/features/crm?rehearse=1", ["Prefer": "respond-async"], Self.contacts)
        #expect(later.status == 202 && later["Preference-Applied"] == "respond-async" && later["Retry-After"] == "1")
        let place = later["Location"] ?? ""
        #expect(place.hasPrefix("/v1/features/crm/rehearsals/"))
        var report = try service.ask("GET \(place)")
        for _ in 0..<100 where report.status == 202 { report = try service.ask("GET \(place)") }
        #expect(try report.status == 200 && report.json == now.json, "\(report.body)")
        #expect(try service.ask("GET /v1/features/crm/rehearsals/none").status == 404)
        #expect(try service.ask("GET \(place.replacing("/crm/", with: "/other/"))").status == 404)
        // A faulty document is answered at once.
        let faulty = try service.ask("PUT /v1/features/crm?rehearse=1", ["Prefer": "respond-async"], "{}")
        #expect(faulty.status == 422)
    }

    // Law DOC14
    @Test func `spaces that sleep migrate in the background`() throws {
        let service = try service()
        service.idleLimit = 0
        for index in 0..<70 {
            let added = try service.ask("POST /v1/spaces/s\(index)/crm/add", [:], #"{"id": "a", "name": "Ada"}"#)
            #expect(added.status == 200)
        }
        #expect(try service.ask("PUT /v1/features/crm", [:], Self.contacts).status == 200)
        for _ in 0..<100 {
            if try service.ask("GET /v1/features/crm/migration").json["left"] == 0 { break }
            service.advance(seconds: 1)
        }
        #expect(try service.ask("GET /v1/features/crm/migration").json == ["left": 0, "done": 71, "failing": 0])
        let changes = try service.ask("GET /v1/spaces/s9/changes").body
        #expect(changes.contains("features/migrated"), "\(changes)")
    }

    @Test func `names that a document uses and gives up are faults, each at its place`() throws {
        let service = try service()
        let faulty = Self.document(
            #"""
            "a": {"was": "b", "value": {"type": "integer"}, "initial": 0},
            "b": {"value": {"type": "integer"}, "initial": 0},
            "t": {"seed": "once", "from": {"table": "t", "wher": "true"}, "was": "x",
              "table": {"key": {"type": "string"}, "row": {"type": "integer"}}},
            "u": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
                "n": {"type": "integer", "was": "m"}, "m": {"type": "integer"}}}}}
            """#, #""drops": ["a", "a"],"#, views: #""v": {"expression": "1"}"#)
        let reply = try service.ask("PUT /v1/features/crm", [:], faulty)
        guard case .array(let errors)? = try reply.json["errors"] else { return #expect(Bool(false), "\(reply.body)") }
        let places = errors.map { $0["pointer"] }
        for place in [
            "/state/a/was", "/state/t/seed", "/state/t/from/wher", "/state/t/from", "/drops/0", "/drops/1",
            "/state/u/table/row/properties/n/was",
        ] {
            #expect(places.contains(.string(place)), "\(place) \(reply.body)")
        }
    }

    // Law DEPLOY1
    @Test func `a document that was rehearsed before it is put is there for rehearsals of its actions`() throws {
        let service = try ServiceInProcess(documents: FeatureCompiler())
        #expect(try service.ask("PUT /v1/features/crm?rehearse=1", [:], Self.people).status == 200)
        #expect(try service.ask("PUT /v1/features/crm", [:], Self.people).status == 201)
        let reply = try service.ask(
            "POST \(Self.main)/crm/entitle?rehearse=1&view=crm.title", [:], #"{"to": "x"}"#)
        #expect(try reply.status == 200 && reply.json["views"] == ["crm.title": "x"], "\(reply.body)")
    }

    @Test func `a rehearsal leaves the hooks of the server as they are`() throws {
        let service = try ServiceInProcess(
            arguments: ["--outgoing-allow", "127.0.0.1:9000"], documents: FeatureCompiler())
        let hook = #"{"source": {"changes": ["cart/*"]}, "url": "http://127.0.0.1:9000/", "secret": "x"}"#
        #expect(try service.ask("PUT \(Self.main)/hooks/first", [:], hook).status == 201)
        #expect(try service.ask("POST \(Self.main)/cart/add?rehearse=1", [:], #"{"productId": 1}"#).status == 200)
        let reply = try service.ask("PUT \(Self.main)/hooks/second", [:], hook)
        #expect(reply.status == 201, "\(reply.body)")
        #expect(try service.ask("GET \(Self.main)/hooks").body.contains("first"))
    }
}
