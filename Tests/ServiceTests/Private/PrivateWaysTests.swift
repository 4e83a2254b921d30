import Hosting
import Documents
import Glibc
import JSON
import Reactive
import ServiceInProcess
import StateStore
import Testing

@testable import HeadwaterServer

/// A private member is shown by the views that say so, and on no other way.
@Suite struct PrivateWaysTests {
    private static let space = "/v1/spaces/main"
    private static let changed =
        #"{"documents": {"ward": \#(ServiceInProcess.ward)}, "spaces": ["main"], "commits": 9}"#

    /// Requests that show no private member, with the path that each is of.
    static let ways: [(path: String, request: String, body: String)] = [
        ("/v1/spaces/{space}/changes", "GET \(space)/changes", ""),
        ("/v1/spaces/{space}/changes", "GET \(space)/changes?events=1", ""),
        ("/v1/spaces/{space}/changes", "GET \(space)/changes?since=1&wait=1", ""),
        ("/v1/changes", "GET /v1/changes", ""), ("/v1/changes", "GET /v1/changes?events=1", ""),
        ("/v1/spaces/{space}/{feature}/{view}/why", "GET \(space)/ward/code/why", ""),
        ("/v1/spaces/{space}/{feature}/{view}/why", "GET \(space)/ward/all/why", ""),
        ("/v1/spaces/{space}/{feature}/{view}/why", "GET \(space)/clinic/code/why", ""),
        ("/v1/spaces/{space}/streams/{id}/why", "GET \(space)/streams/kept/why", ""),
        ("/v1/spaces/{space}/{feature}/{view}", "GET \(space)/ward/names", ""),
        ("/v1/spaces/{space}/{feature}/{view}", "GET \(space)/ward/all", ""),
        ("/v1/spaces/{space}/{feature}/{view}", "GET \(space)/ward/all?limit=1&total=1", ""),
        ("/v1/spaces/{space}/{feature}/{view}", "GET \(space)/ward/all?events=1", ""),
        ("/v1/spaces/{space}/{feature}/{view}", "GET \(space)/ward/all?at=5", ""),
        ("/v1/spaces/{space}/{feature}/{view}", "GET \(space)/ward/one", ""),
        ("/v1/spaces/{space}/{feature}/{view}", "GET \(space)/ward/rows", ""),
        ("/v1/spaces/{space}/{feature}/{view}", "GET \(space)/ward/guests", ""),
        ("/v1/spaces/{space}/{feature}/{view}/window", "GET \(space)/ward/all/window?total=1", ""),
        ("/v1/spaces/{space}/{feature}/{view}/history", "GET \(space)/ward/all/history", ""),
        ("/v1/spaces/{space}/{feature}/{view}/history", "GET \(space)/ward/rows/history", ""),
        ("/v1/spaces/{space}/{feature}/{view}/history", "GET \(space)/ward/code/history", ""),
        ("/v1/spaces/{space}/{feature}/{view}/history", "GET \(space)/ward/numbers/history", ""),
        ("/v1/spaces/{space}/{feature}/{view}/history", "GET \(space)/ward/open/history?events=1", ""),
        ("/v1/spaces/{space}/{feature}/{view}/history", "GET \(space)/ward/number/history?id=a", ""),
        ("/v1/spaces/{space}/views/diff", "GET \(space)/views/diff?from=0&to=5&view=ward.rows", ""),
        ("/v1/spaces/{space}/{feature}/{action}", "POST \(space)/ward/admit", ServiceInProcess.patient),
        ("/v1/spaces/{space}/{feature}/{action}", "POST \(space)/clinic/admit", ServiceInProcess.patient),
        ("/v1/spaces/{space}/{feature}/{action}", "POST \(space)/ward/count", #"{"code": "SECRET"}"#),
        (
            "/v1/spaces/{space}/{feature}/{action}", "POST \(space)/ward/admit?view=ward.all",
            #"{"id": "b", "patient": {"name": "Bob", "number": "SECRET"}}"#
        ),
        (
            "/v1/spaces/{space}/{feature}/{action}", "POST \(space)/ward/admit",
            #"{"id": "b", "patient": {"name": "Bob", "number": {"SECRET": "SECRET"}}}"#
        ),
        (
            "/v1/spaces/{space}/{feature}/{action}", "POST \(space)/clinic/admit",
            #"{"id": "b", "patient": {"name": "Bob", "number": ["SECRET"]}}"#
        ),
        ("/v1/spaces/{space}/graph", "GET \(space)/graph", ""), ("/v1/spaces/{space}", "GET \(space)", ""),
        ("/v1/spaces", "GET /v1/spaces?details=1", ""), ("/v1/audit", "GET /v1/audit", ""), ("/v1", "GET /v1", ""),
        ("/v1/subjects", "GET /v1/subjects", ""), ("/metrics", "GET /metrics", ""),
        ("/openapi.yaml", "GET /openapi.yaml", ""), ("/v1/features", "GET /v1/features", ""),
        ("/v1/features/{feature}", "GET /v1/features/ward", ""),
        ("/v1/features:replay", "POST /v1/features:replay", changed),
        ("/v1/features:test", "POST /v1/features:test", ServiceInProcess.ward),
        ("/v1/spaces/{space}/streams", "GET \(space)/streams", ""),
        ("/v1/spaces/{space}/restore", "POST \(space)/restore", #"{"version": 3}"#),
        ("/v1/spaces/{space}/rules:test", "POST \(space)/rules:test", #"{"view": "ward.all"}"#),
    ]

    // Law PRIV1
    @Test(arguments: ways.indices) func `no other way shows a private member`(_ index: Int) throws {
        let way = Self.ways[index]
        let file = "/tmp/private-\(getpid())-\(index).audit"
        defer { unlink(file) }
        let service = try ServiceInProcess.withClinic(["--audit", file, "--audit-input"])
        let reply = try service.ask(way.request, [:], way.body)
        #expect(!reply.body.contains("SECRET"), "\(way.request): \(reply.body)")
        #expect([200, 201, 409, 422].contains(reply.status), "\(way.request): \(reply)")
        let later = try service.ask("GET \(Self.space)/changes").body
        #expect(later.contains("\"withheld\"") && !later.contains("SECRET"))
        let lines = try String(decoding: Self.bytes(of: file), as: UTF8.self)
        #expect(lines.contains("ward/admit") && !lines.contains("SECRET"), "\(lines)")
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { throw ServiceInProcess.NoAnswer() }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(descriptor, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    @Test func `every path is among those that are tested, or shows no state`() {
        let tested = Set(Self.ways.map(\.path))
        let others: Set<String> = [
            "/", "/healthz", "/readyz", "/client.js", "/client.d.ts", "/v1/tickets", "/v1/limits",
            // A view says what it shows, also where it is a part of these.
            "/v1/spaces/{space}/views", "/v1/live", "/v1/spaces/{space}/streams/{id}",
            "/v1/spaces/{space}/streams/{id}/value", "/v1/spaces/{space}/streams/{id}/values",
            "/v1/spaces/{space}/streams/{id}/history", "/v1/spaces/{space}/streams:test",
            "/v1/features/{feature}/problems", "/v1/features/{feature}/plan", "/v1/spaces/{space}/hooks",
            "/v1/spaces/{space}/hooks/{id}",
            "/v1/spaces/{space}/erase", "/v1/features/{feature}/migration", "/schemas/feature.json",
            "/v1/requests/{id}/why", "/v1/live/{stream}", "/offline.js", "/site.json", "/v1/features/{feature}/client",
            "/mirror.js",
            "/v1/features/{feature}/hooks", "/v1/features/{feature}/rehearsals/{id}",
            // Counts, and what only who administers all spaces gets.
            "/v1/usage", "/v1/spaces/{space}/usage", "/v1/export", "/v1/operations", "/v1/operations/{id}",
            "/v1/operations/{id}/lines",
            "/v1/me",
            // An action of a list answers as it does alone; an edit answers a version.
            "/v1/spaces/{space}/actions", "/v1/spaces/{space}/administration/edit",
            // Each call of an agent is a request of its own.
            "/mcp",
        ]
        for path in HandTurnedService.paths {
            #expect(tested.contains(path) || others.contains(path), "\(path) shows private members?")
        }
    }

    // Law PRIV2
    @Test(arguments: [
        "ward/number?id=a", "ward/numbers", "ward/open", "ward/code", "clinic/code", "clinic/number?id=a",
    ])
    func `a view that says so shows a private member`(_ view: String) throws {
        let reply = try ServiceInProcess.withClinic().ask("GET /v1/spaces/main/\(view)")
        #expect(reply.status == 200 && reply.body.contains("SECRET"), "\(reply.body)")
    }

    @Test func `a view of whole rows has null in place of the private members`() throws {
        let service = try ServiceInProcess.withClinic()
        let all = try service.ask("GET /v1/spaces/main/ward/all")
        #expect(all.body == #"[{"key":"a","row":{"name":"Ada","number":null}}]"#)
        let rows = try service.ask("GET /v1/spaces/main/ward/rows")
        #expect(rows.body == #"{"patients":{"a":{"name":"Ada","number":null}},"code":null}"#)
    }

    // Law PRIV3
    @Test(arguments: ["clinic", "ward"]) func `a commit lists what it withholds`(_ feature: String) throws {
        let service = try ServiceInProcess.withClinic()
        guard case .array(let commits) = try service.ask("GET /v1/spaces/main/changes").json else {
            throw ServiceInProcess.NoAnswer()
        }
        let admission = try #require(commits.first { $0["action"] == .string("\(feature)/admit") })
        #expect(admission["input"] == ["id": "a", "patient": ["name": "Ada", "number": .null]])
        #expect(admission["changed"]?["\(feature).patients"] == ["a": ["name": "Ada", "number": .null]])
        #expect(
            admission["withheld"] == ["/input/patient/number", .string("/changed/\(feature).patients/a/number")])
        let lock = try #require(commits.first { $0["action"] == .string("\(feature)/lock") })
        #expect(lock["changed"]?["\(feature).code"] == .null && lock["input"] == ["code": .null])
        // Memory that has changed would tell that a private value has.
        #expect(commits.allSatisfy { $0["memory"] == nil })
    }

    @Test func `what was private stays so when its feature is gone`() throws {
        let service = try ServiceInProcess.withClinic()
        #expect(try service.ask("DELETE /v1/spaces/main/streams/kept").status == 200)
        #expect(try service.ask("DELETE /v1/features/ward?state=drop").status == 204)
        let changes = try service.ask("GET /v1/spaces/main/changes").body
        #expect(changes.contains("ward/admit") && !changes.contains("SECRET"), "\(changes)")
    }

    @Test func `what becomes private is hidden in older commits`() throws {
        let service = try ServiceInProcess(documents: FeatureCompiler())
        let open = ServiceInProcess.ward.replacing(#", "private": true"#, with: "")
            .replacing(#""given": ["clinic"],"#, with: "")
            .replacing(#""guests": {"from": "clinic.patients"},"#, with: "")
        #expect(try service.ask("PUT /v1/features/ward", [:], open).status == 201)
        _ = try service.ask("POST /v1/spaces/main/ward/admit", [:], ServiceInProcess.patient)
        #expect(try service.ask("GET /v1/spaces/main/changes").body.contains("SECRET"))
        let closed = open.replacing(#""minLength": 4"#, with: #""minLength": 4, "private": true"#)
        #expect(try service.ask("PUT /v1/features/ward", [:], closed).status == 200)
        let changes = try service.ask("GET /v1/spaces/main/changes").body
        #expect(changes.contains("Ada") && !changes.contains("SECRET"), "\(changes)")
    }

    @Test func `the body of a hook is the commit as changes have it`() throws {
        let registry = try Registry([Feature("clinic", ClinicState.init, ClinicService.init, ClinicViewModel.init)])
        let record = CommitRecord(
            space: try #require(SpaceName("main")), version: 1, at: Timestamp(microseconds: 0), action: "clinic/lock",
            input: Array(#"{"code":"SECRET"}"#.utf8),
            facts: [Fact(variable: "clinic.code", value: Array(#""SECRET""#.utf8))])
        let body = String(
            decoding: HookEvent(try CommitPermit.issue(in: record.space, to: .server).shown(record, by: registry)).body,
            as: UTF8.self)
        #expect(body.contains(#""withheld":["/input/code","/changed/clinic.code"]"#) && !body.contains("SECRET"))
    }

    @Test func `the body of one of several actions names its own withheld places`() throws {
        let registry = try Registry([Feature("clinic", ClinicState.init, ClinicService.init, ClinicViewModel.init)])
        let input = #"""
            {"actions": [{"name": "clinic/lock", "input": {"code": "SECRET"}}, {"name": "clinic/open"},
              {"name": "clinic/lock", "input": {"code": "SECRET"}}]}
            """#
        let record = CommitRecord(
            space: try #require(SpaceName("main")), version: 1, at: Timestamp(microseconds: 0),
            action: PerformedAction.several, input: Array(input.utf8),
            facts: [Fact(variable: "clinic.code", value: Array(#""SECRET""#.utf8))])
        let shown = try CommitPermit.issue(in: record.space, to: .server).shown(record, by: registry)
        let bodies = try PerformedAction.all(of: record.action, record.input).map {
            try JSON(parsing: HookEvent(shown, $0, after: nil).body)
        }
        #expect(
            bodies.map { $0["withheld"] } == [
                ["/input/code", "/changed/clinic.code"], ["/changed/clinic.code"],
                ["/input/code", "/changed/clinic.code"],
            ])
        #expect(bodies[0]["input"] == ["code": .null] && !"\(bodies)".contains("SECRET"))
    }

    @Test func `a key and a parameter cannot be private`() throws {
        let service = try ServiceInProcess(documents: FeatureCompiler())
        let document = """
            {"feature": "x", "home": "space", "state": {"t": {"table":
              {"key": {"type": "string", "private": true}, "row": {"type": "object"}}}},
             "views": {"v": {"parameters": {"p": {"type": "string", "private": true}}, "expression": "input.p"}}}
            """
        let reply = try service.ask("PUT /v1/features/x", [:], document)
        #expect(reply.status == 422 && reply.body.contains("/state/t/table/key"), "\(reply.body)")
        #expect(reply.body.contains("/views/v/parameters/p"))
    }

    @Test func `schemas that clients see do not have the word private`() throws {
        let body = try ServiceInProcess.withClinic().ask("GET /v1").body
        #expect(body.contains("clinic") && !body.contains("\"private\""))
    }

    @Test func `a private parameter of a view in Swift is a wrong registration`() {
        struct Wrong: ViewModel {
            let number: ParameterView<Code, String>

            init(_ clinic: ClinicState) { number = ParameterView { _ in clinic.code.map(\.value) } }
        }
        let feature = Feature("clinic", ClinicState.init, ClinicService.init, Wrong.init)
        #expect {
            try Registry([feature])
        } throws: { error in
            "\(error)".contains("clinic.number's parameter code")
        }
    }
}
