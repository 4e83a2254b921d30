import Foundation
import Testing

/// The commands `headwater test` and `headwater check-features`.
@Suite struct DocumentCommandTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: scratch.path + "/" + name))
    }

    private static func counter(_ expression: String, expecting count: Int) -> String {
        #"""
        {"feature": "counter", "home": "space", "state": {"count": {"value": {"type": "integer"}, "initial": 0}},
         "actions": {"add": {"do": [{"set": "count", "to": "\#(expression)"}]}},
         "views": {"count": {"expression": "state.count"}},
         "tests": [{"name": "it counts", "steps": [{"act": "add"}, {"expect": {"count": \#(count)}}]}]}
        """#
    }

    @Test func `good documents are reported with exit status 0`() throws {
        try write("counter.json", Self.counter("state.count + 1", expecting: 1))
        let tests = try Program.run("test", scratch.path)
        #expect(tests.status == 0)
        #expect(tests.output == "TAP version 14\n1..1\nok 1 - counter: it counts\n")
        let check = try Program.run("check-features", scratch.path)
        #expect(check.status == 0)
        #expect(check.output == "TAP version 14\n1..1\nok 1 - counter.json\n")
    }

    @Test func `a failed test is reported with exit status 1`() throws {
        try write("counter.json", Self.counter("state.count + 1", expecting: 2))
        let tests = try Program.run("test", scratch.path)
        #expect(tests.status == 1)
        #expect(tests.output.contains("not ok 1 - counter: it counts"))
        #expect(tests.output.contains(#"- pointer: "/tests/0/steps/1/expect/count""#), "\(tests.output)")
        #expect(tests.output.contains(#"detail: "counter.count is 1, not 2""#), "\(tests.output)")
        #expect(try Program.run("check-features", scratch.path).status == 0)
    }

    @Test(arguments: ["test", "check-features"])
    func `a faulty document is reported with its faults and exit status 1`(_ command: String) throws {
        try write("counter.json", Self.counter("state.cont + 1", expecting: 1))
        try write("other.json", "{")
        let ending = try Program.run(command, scratch.path)
        #expect(ending.status == 1)
        #expect(ending.output.contains("not ok 1 - counter.json"))
        #expect(ending.output.contains(#"- pointer: "/actions/add/do/0/to""#), "\(ending.output)")
        #expect(ending.output.contains(#"did you mean count?"#), "\(ending.output)")
        #expect(ending.output.contains("not ok 2 - other.json"), "\(ending.output)")
    }

    @Test func `a text that withholds a private value is a warning`() throws {
        let text = Self.counter("state.count + 1", expecting: 1)
            .replacing(#""type": "integer""#, with: #""type": "integer", "private": true"#)
            .replacing(
                #""do": ["#, with: #""require": [{"that": "true", "else": {"detail": "{state.count}"}}], "do": ["#)
        try write("counter.json", text)
        let ending = try Program.run("check-features", scratch.path)
        #expect(ending.status == 0, "\(ending.output)")
        let warning = "# counter.json: /actions/add/require/0/else/detail: a private value is null in this text"
        #expect(ending.output.contains(warning), "\(ending.output)")
    }

    @Test(arguments: ["test", "check-features"])
    func `a directory without documents is a fault of the command line`(_ command: String) throws {
        #expect(try Program.run(command, scratch.path).status == 2)
        #expect(try Program.run(command, scratch.path + "/nowhere").status == 2)
        #expect(try Program.run(command).status == 2)
        #expect(try Program.run("help", command).output.contains("Test Anything Protocol"))
    }

    @Test func `the name of a test cannot be read as a directive`() throws {
        let text = Self.counter("state.count + 1", expecting: 2)
        try write("counter.json", text.replacing("it counts", with: #"a # SKIP b \\ c"#))
        let tests = try Program.run("test", scratch.path)
        #expect(tests.status == 1)
        #expect(tests.output.contains(##"not ok 1 - counter: a \# SKIP b \\ c"##), "\(tests.output)")
    }

    @Test(arguments: ["streams", "features", "hooks", "views", "changes", "graph", "space", "schedules", "actions"])
    func `a reserved name is a fault of its document`(_ name: String) throws {
        let text = Self.counter("state.count + 1", expecting: 1)
        try write("x.json", text.replacing(#""feature": "counter""#, with: "\"feature\": \"\(name)\""))
        for command in ["test", "check-features"] {
            let ending = try Program.run(command, scratch.path)
            #expect(ending.status == 1)
            #expect(ending.output.contains("not ok 1 - x.json"), "\(ending.output)")
            #expect(ending.output.contains(#"- pointer: "/feature""#), "\(ending.output)")
        }
    }

    private static func people(_ state: String, feature: String = "crm", given: String = "") -> String {
        #"""
        {"feature": "\#(feature)", "home": "space", \#(given) "state": {\#(state)},
         "actions": {"add": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
           "do": \#(state.contains("\"people\": {") ? #"[{"put": "people", "key": "input.id", "row": "{'name': input.id}"}]"# : "[]")}},
         "views": {"one": {"expression": "1"}}}
        """#
    }

    private static let table = #"""
        "people": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {"name": {"type": "string"}}}}}
        """#
    private static let other = #""n": {"value": {"type": "integer"}, "initial": 0}"#

    // Law DOC14
    @Test func `a data directory shows what documents would make of it, and one that would lose rows is not served`()
        throws
    {
        let (data, features) = (scratch.path + "/data", scratch.path + "/features")
        try FileManager.default.createDirectory(atPath: features, withIntermediateDirectories: false)
        try write("features/crm.json", Self.people(Self.table))
        try write("features/side.json", Self.people(Self.other, feature: "side"))
        try write("features/user.json", Self.people(Self.other, feature: "user", given: #""given": ["crm"],"#))
        do {
            let server = try Service("--data", data, "--examples", "none", "--features", features)
            #expect(try server.ask("POST", "/v1/spaces/main/crm/add", #"{"id": "ada"}"#).status == 200)
            #expect(try server.ask("POST", "/v1/spaces/two/crm/add", #"{"id": "bob"}"#).status == 200)
            let renamed = Self.table.replacing(#""people": {"#, with: #""friends": {"was": "people", "#)
                .replacing(#""name": {"type""#, with: #""full": {"was": "name", "type""#)
            try write("features/crm.json", Self.people(renamed))
            let good = try Program.run("check-features", features, "--against", data)
            #expect(good.status == 0, "\(good.output) \(good.errors)")
            #expect(
                good.output.contains(#"crm: {"spaces":2,"rows":{"friends":{"kept":0,"changed":2,"failing":0}}"#),
                "\(good.output)")
            #expect(good.output.contains(#""before":{"name":"ada"},"after":{"full":"ada"}"#), "\(good.output)")
            let far = try Program.run("check-features", features, "--against", "http://127.0.0.1:\(server.port)")
            // A server whose documents are those of a directory takes no others, but rehearses them.
            #expect(
                far.status == 0 && far.output.contains(#""friends":{"kept":0,"changed":2,"failing":0}"#),
                "\(far.output) \(far.errors)")
        }
        try write("features/crm.json", Self.people(Self.other))
        let lossy = try Program.run("check-features", features, "--against", data)
        #expect(
            lossy.status == 1 && lossy.output.contains(#""lost":[{"name":"people","spaces":2,"rows":2}]"#),
            "\(lossy.output)")
        #expect(try Program.run("check-features", features, "--against", scratch.path + "/none").status != 0)
        do {
            let server = try Service("--data", data, "--examples", "none", "--features", features)
            #expect(try server.ask("GET", "/v1/spaces/main/side/one").text == "1")
            #expect(try server.ask("GET", "/v1/spaces/main/crm/one").status == 404)
            #expect(try server.ask("GET", "/v1/spaces/main/user/one").status == 404)
            let ready = try server.ask("GET", "/readyz")
            #expect(ready.status == 200 && ready.text.hasPrefix("ready\ncrm is not served: "), "\(ready.text)")
            #expect(ready.text.contains("people would vanish, with 2 rows in 2 spaces"), "\(ready.text)")
            #expect(ready.text.contains("user is not served: user is given crm"), "\(ready.text)")
        }
        try write("features/crm.json", Self.people(Self.table))
        let server = try Service("--data", data, "--examples", "none", "--features", features)
        #expect(try server.ask("GET", "/readyz").text == "ready\n")
        #expect(try server.ask("GET", "/v1/spaces/main/changes").text.contains("ada"))
    }
}
