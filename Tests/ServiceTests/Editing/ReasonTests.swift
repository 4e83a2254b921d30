import JSON
import ServiceInProcess
import StateStore
import Testing

@testable import HeadwaterServer

/// The reasons of refused requests, for administrators.
@Suite struct ReasonTests {
    private func refuse(
        _ service: ServiceInProcess, _ line: String, _ body: String, _ fields: [String: String] = Tracker.ada
    ) throws -> Reply {
        let reply = try service.ask(line, fields.merging(["X-Request-Id": "it"]) { $1 }, body)
        #expect(reply.status >= 400, "\(reply)")
        return reply
    }

    private func why(_ service: ServiceInProcess, _ fields: [String: String] = Tracker.root) throws -> Reply {
        try service.ask("GET /v1/requests/it/why", fields)
    }

    // Law EDIT3
    @Test func `the reason names the guard, the rule or the schema with its place`() throws {
        let service = try Tracker.service()
        _ = try refuse(service, "POST /v1/spaces/main/tracker/add", #"{"id": "a", "title": "x", "note": "SECRET"}"#)
        var reason = try why(service)
        #expect(reason.status == 200, "\(reason)")
        #expect(try reason.json["reason"]?["pointer"] == "/actions/add/require/0/that", "\(reason)")
        #expect(try reason.json["reason"]?["kind"] == "guard" && reason.json["reason"]?["feature"] == "tracker")
        #expect(try reason.json["reason"]?["text"] == "!(input.id in state.tasks)")
        #expect(try reason.json["status"] == 409 && reason.json["name"] == "tracker/add")
        #expect(try reason.json["space"] == "main" && reason.json["by"] == ["sub": "ada"])
        #expect(try reason.json["used"]?["rows"] != nil && reason.json["milliseconds"]?["total"] != nil)
        #expect(!reason.body.contains("SECRET"))
        _ = try refuse(service, "POST /v1/spaces/main/tracker/rename", #"{"label": "x"}"#)
        reason = try why(service)
        #expect(try reason.json["reason"]?["pointer"] == "/actions/rename/allow", "\(reason)")
        #expect(try reason.json["reason"]?["kind"] == "rule" && reason.json["status"] == 403)
        _ = try refuse(service, "POST /v1/spaces/main/tracker/add", #"{"id": 7}"#)
        reason = try why(service)
        #expect(try reason.json["reason"]?["pointer"] == "/actions/add/input", "\(reason)")
        let long = String(repeating: "x", count: 30)
        _ = try refuse(service, "POST /v1/spaces/main/tracker/add", #"{"id": "c", "title": "\#(long)"}"#)
        reason = try why(service)
        #expect(try reason.json["reason"]?["pointer"] == "/state/tasks" && reason.json["reason"]?["kind"] == "schema")
    }

    // Law EDIT3
    @Test func `a reason is for administrators of the space`() throws {
        let service = try Tracker.service()
        _ = try refuse(service, "POST /v1/spaces/main/tracker/rename", #"{"label": "x"}"#)
        let got1 = try why(service, Tracker.ada).status
        #expect(got1 == 403)
        let got2 = try why(service, [:]).status
        #expect(got2 == 401)
        #expect(try service.ask("GET /v1/requests/other/why", Tracker.root).status == 404)
        let reply = try refuse(service, "POST /v1/spaces/main/tracker/rename", "{}", Tracker.ada)
        #expect(reply["x-request-id"] == "it")
    }

    @Test func `a caller without a right in the space has a reason, which pushes out no other one`() throws {
        let service = try Tracker.service(tokens: Tracker.tokens.replacing("act *", with: "act main"))
        _ = try refuse(service, "POST /v1/spaces/main/tracker/rename", #"{"label": "x"}"#)
        for _ in 0..<RequestReasons.countLimit {
            let fields = Tracker.ada.merging(["X-Request-Id": "other"]) { $1 }
            #expect(try service.ask("GET /v1/spaces/elsewhere/tracker/titles", fields).status == 403)
        }
        let reason = try service.ask("GET /v1/requests/other/why", Tracker.root)
        #expect(try reason.json["detail"] == "this token is not valid for the space elsewhere", "\(reason)")
        #expect(try reason.json["status"] == 403 && reason.json["by"] == ["sub": "ada"])
        #expect(Explanation.words(try reason.json).contains("\n  this token is not valid for the space elsewhere\n"))
        #expect(try why(service).json["reason"]?["kind"] == "rule")
    }

    @Test func `a slow action says the steps and the rows that it used`() {
        var reason = RequestReasons.RequestReason(
            request: "r", at: .init(microseconds: 0), path: "/", space: nil, subject: "", status: 200)
        reason.used = (7, 2)
        #expect(reason.json { _ in nil }["used"] == ["steps": 7, "rows": 2])
        #expect(Explanation.words(reason.json { _ in nil }).contains("used: 7 steps, 2 rows"))
    }

    @Test(arguments: [true, false])
    func `the times of a slow request are those before and in its work`(_ isRead: Bool) {
        var reason = RequestReasons.RequestReason(
            request: "r", at: .init(microseconds: 0), path: "/", space: nil, subject: "", status: 200)
        (reason.nanoseconds, reason.before, reason.isRead) = (120_000_000, 20_000_000, isRead)
        let part = isRead ? "view" : "action"
        #expect(reason.json { _ in nil }["milliseconds"] == ["total": 120, "before": 20, part: 100])
        #expect(Explanation.words(reason.json { _ in nil }).contains("milliseconds: total 120, before 20, \(part) 100"))
    }

    @Test func `the last 1,000 reasons are kept`() {
        let reasons = RequestReasons()
        for number in 0..<1_500 {
            reasons.note(
                RequestReasons.RequestReason(
                    request: "r\(number)", at: .init(microseconds: 0), path: "/", space: nil, subject: "", status: 409))
        }
        #expect(reasons.reason(of: "r499") { _ in true } == nil)
        #expect(reasons.reason(of: "r500") { _ in true } != nil && reasons.reason(of: "r1499") { _ in true } != nil)
        #expect(reasons.reason(of: "r1499") { _ in false } == nil)
    }
}
