import JSON
import Testing

/// The rules of RFC 6902 for each operation, as JSON text.
@Suite struct JSONPatchOperationsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let document: String
        let patch: String
        let result: String

        init(_ name: String, _ document: String, _ patch: String, _ result: String) {
            (testDescription, self.document, self.patch, self.result) = (name, document, patch, result)
        }
    }

    @Test(arguments: [
        Case("an empty patch changes nothing", #"{"a":1}"#, "[]", #"{"a":1}"#),
        Case("add sets a new member", #"{"a":1}"#, #"[{"op":"add","path":"/b","value":[2]}]"#, #"{"a":1,"b":[2]}"#),
        Case("add replaces a member", #"{"a":1}"#, #"[{"op":"add","path":"/a","value":null}]"#, #"{"a":null}"#),
        Case("add replaces the document", #"{"a":1}"#, #"[{"op":"add","path":"","value":[]}]"#, "[]"),
        Case("add inserts before an element", "[1,2]", #"[{"op":"add","path":"/1","value":9}]"#, "[1,9,2]"),
        Case("add at the count appends", "[1,2]", #"[{"op":"add","path":"/2","value":9}]"#, "[1,2,9]"),
        Case("add at - appends", "[1,2]", #"[{"op":"add","path":"/-","value":[3]}]"#, "[1,2,[3]]"),
        Case("- is a name in an object", "{}", #"[{"op":"add","path":"/-","value":1}]"#, #"{"-":1}"#),
        Case("digits are a name in an object", #"{"0":1}"#, #"[{"op":"replace","path":"/0","value":2}]"#, #"{"0":2}"#),
        Case("the empty name is a name", #"{"":1}"#, #"[{"op":"replace","path":"/","value":2}]"#, #"{"":2}"#),
        Case("~1 is a slash", #"{"a/b":1}"#, #"[{"op":"replace","path":"/a~1b","value":2}]"#, #"{"a/b":2}"#),
        Case("~0 is a tilde", #"{"~":1}"#, #"[{"op":"replace","path":"/~0","value":2}]"#, #"{"~":2}"#),
        Case("~01 is ~1 and not a slash", #"{"~1":1}"#, #"[{"op":"remove","path":"/~01"}]"#, "{}"),
        Case("remove takes a member", #"{"a":1,"b":2}"#, #"[{"op":"remove","path":"/a"}]"#, #"{"b":2}"#),
        Case("remove closes the gap", "[1,2,3]", #"[{"op":"remove","path":"/0"},{"op":"remove","path":"/0"}]"#, "[3]"),
        Case("replace keeps the position", "[1,2,3]", #"[{"op":"replace","path":"/1","value":"x"}]"#, #"[1,"x",3]"#),
        Case(
            "replace reaches deep", #"{"a":[{"b":1}]}"#, #"[{"op":"replace","path":"/a/0/b","value":2}]"#,
            #"{"a":[{"b":2}]}"#),
        Case("replace exchanges the document", "1", #"[{"op":"replace","path":"","value":{"a":1}}]"#, #"{"a":1}"#),
        Case("move renames a member", #"{"a":1}"#, #"[{"op":"move","from":"/a","path":"/b"}]"#, #"{"b":1}"#),
        Case(
            "move counts the target without the element", "[1,2,3]", #"[{"op":"move","from":"/0","path":"/2"}]"#,
            "[2,3,1]"),
        Case(
            "move goes between containers", #"{"a":[1],"b":{}}"#, #"[{"op":"move","from":"/a/0","path":"/b/c"}]"#,
            #"{"a":[],"b":{"c":1}}"#),
        Case(
            "move to the same place changes nothing", #"{"a":1}"#, #"[{"op":"move","from":"/a","path":"/a"}]"#,
            #"{"a":1}"#),
        Case("move of a child replaces the document", #"{"a":[1]}"#, #"[{"op":"move","from":"/a","path":""}]"#, "[1]"),
        Case("a similar name is not a child", #"{"a":1}"#, #"[{"op":"move","from":"/a","path":"/ab"}]"#, #"{"ab":1}"#),
        Case("copy keeps the source", "[[1],2]", #"[{"op":"copy","from":"/0","path":"/-"}]"#, "[[1],2,[1]]"),
        Case(
            "copy goes into the own child", #"{"a":{}}"#, #"[{"op":"copy","from":"","path":"/a/b"}]"#,
            #"{"a":{"b":{"a":{}}}}"#),
        Case("test passes on an equal number", #"{"a":1.0}"#, #"[{"op":"test","path":"/a","value":1}]"#, #"{"a":1}"#),
        Case(
            "test ignores the order of members", #"{"a":1,"b":2}"#, #"[{"op":"test","path":"","value":{"b":2,"a":1}}]"#,
            #"{"a":1,"b":2}"#),
        Case("test passes on null", #"{"a":null}"#, #"[{"op":"test","path":"/a","value":null}]"#, #"{"a":null}"#),
        Case("unknown members are ignored", "1", #"[{"op":"replace","path":"","value":2,"note":[3]}]"#, "2"),
        Case("members come in any order", "1", #"[{"value":2,"path":"","op":"replace"}]"#, "2"),
    ])
    func `an operation gives its result`(_ each: Case) throws {
        let patch = try JSONPatch(parsing: Array(each.patch.utf8))
        #expect(try patch.applied(to: each.document.tree) == each.result.tree)
        // A written patch is read as the same patch.
        #expect(try JSONPatch(parsing: patch.json()).applied(to: each.document.tree) == each.result.tree)
    }

    @Test(arguments: [
        ("[1]", #"{"op":"add","path":"/2","value":1}"#, JSONPatchFault.Reason.indexOutOfRange),
        ("[1]", #"{"op":"remove","path":"/1"}"#, .indexOutOfRange),
        ("[1]", #"{"op":"remove","path":"/99999999999999999999"}"#, .indexOutOfRange),
        ("[1,2]", #"{"op":"replace","path":"/01","value":1}"#, .invalidIndex),
        ("[1,2]", #"{"op":"replace","path":"/00","value":1}"#, .invalidIndex),
        ("[1,2]", #"{"op":"replace","path":"/+1","value":1}"#, .invalidIndex),
        ("[1,2]", #"{"op":"add","path":"/-1","value":1}"#, .invalidIndex),
        ("[1,2]", #"{"op":"test","path":"/1e0","value":2}"#, .invalidIndex),
        ("[1,2]", #"{"op":"remove","path":"/"}"#, .invalidIndex),
        ("[1,2]", #"{"op":"remove","path":"/-"}"#, .invalidIndex),
        ("[1,2]", #"{"op":"copy","from":"/-","path":"/0"}"#, .invalidIndex),
        ("[1,2]", #"{"op":"add","path":"/a","value":1}"#, .invalidIndex),
        (#"{"a":1}"#, #"{"op":"remove","path":"/b"}"#, .missing),
        (#"{"a":1}"#, #"{"op":"replace","path":"/b","value":1}"#, .missing),
        (#"{"a":1}"#, #"{"op":"add","path":"/b/c","value":1}"#, .missing),
        (#"{"a":1}"#, #"{"op":"add","path":"/a/c","value":1}"#, .missing),
        (#"{"a":1}"#, #"{"op":"move","from":"/b","path":"/b"}"#, .missing),
        (#"{"a":1}"#, #"{"op":"copy","from":"/b","path":"/a"}"#, .missing),
        (#"{"a":1}"#, #"{"op":"test","path":"/b","value":null}"#, .missing),
        (#"{"a":1}"#, #"{"op":"test","path":"/a","value":"1"}"#, .testFailed),
        ("[[]]", #"{"op":"test","path":"/0","value":{}}"#, .testFailed),
        ("{}", #"{"op":"remove","path":""}"#, .rootRemoved),
        (#"{"a":{"b":1}}"#, #"{"op":"move","from":"/a","path":"/a/b"}"#, .intoOwnChild),
        ("{}", #"{"op":"move","from":"","path":"/a"}"#, .intoOwnChild),
    ])
    func `an operation that does not apply is a fault`(
        _ document: String, _ operation: String, _ reason: JSONPatchFault.Reason
    ) throws {
        let first = #"{"op":"test","path":"","value":"# + document + "}"
        let patch = try JSONPatch(parsing: Array("[\(first),\(operation)]".utf8))
        let fault = #expect(throws: JSONPatchFault.self) { try patch.applied(to: document.tree) }
        #expect(fault?.reason == reason)
        #expect(fault?.operation == 1)
    }

    @Test(arguments: [
        (#"{"path":"","value":1}"#, "/0/op"), (#"{"op":"add","value":1}"#, "/0/path"),
        (#"{"op":"add","path":""}"#, "/0/value"),
        (#"{"op":"replace","path":""}"#, "/0/value"), (#"{"op":"test","path":""}"#, "/0/value"),
        (#"{"op":"move","path":""}"#, "/0/from"), (#"{"op":"copy","path":""}"#, "/0/from"),
        (#"{"op":"spam","path":""}"#, "/0/op"), (#"{"op":"Add","path":"","value":1}"#, "/0/op"),
        (#"{"op":"add","path":"a","value":1}"#, "/0/path"), (#"{"op":"add","path":"/~2","value":1}"#, "/0/path"),
        (#"{"op":"add","path":"/~","value":1}"#, "/0/path"), (#"{"op":"add","path":7,"value":1}"#, "/0/path"),
        (#"{"op":"add","op":"test","path":"","value":1}"#, "/0/op"),
        (#"{"op":"copy","from":"x","path":""}"#, "/0/from"), ("[]", "/0"),
    ])
    func `a malformed operation is refused with a pointer to its member`(_ operation: String, _ pointer: String) {
        let error = #expect(throws: JSONError.self) { try JSONPatch(parsing: Array("[\(operation)]".utf8)) }
        #expect(error?.pointer.description == pointer)
    }

    @Test(arguments: ["", "/", "//", "/a/b", "/~0~1/~01", "/é/0"])
    func `a pointer is read and written as the same text`(_ text: String) throws {
        #expect(try #require(JSONPointer(text: text)).description == text)
    }

    @Test(arguments: ["a", "#/a", "/~", "/a~", "/~2", "/~~0"])
    func `text that is not a pointer is refused`(_ text: String) { #expect(JSONPointer(text: text) == nil) }

    @Test func `names that differ only in their normal form are different places`() throws {
        let patch = JSONPatch([.move(from: JSONPointer(["\u{E9}"]), to: JSONPointer(["e\u{301}", "x"]))])
        var object = JSON.Object()
        object["\u{E9}"] = 1
        object["e\u{301}"] = [:]
        #expect(try patch.applied(to: .object(object)) == ["e\u{301}": ["x": 1]])
    }

    @Test func `a patch cannot make a document that is too deep or too large`() throws {
        let copies = [JSONPatch.Operation](repeating: .copy(from: JSONPointer(), to: JSONPointer(["-"])), count: 40)
        let deep = #expect(throws: JSONPatchFault.self) { try JSONPatch(copies).applied(to: [1], depth: 10) }
        #expect(deep?.reason == .tooDeep(limit: 10))
        let large = #expect(throws: JSONPatchFault.self) { try JSONPatch(copies).applied(to: [1]) }
        #expect(large?.reason == .tooLarge(limit: JSONPatch.copyLimit))
        let added = #expect(throws: JSONPatchFault.self) {
            try JSONPatch([.add(JSONPointer(["a", "b"]), [])]).applied(to: ["a": [:]], depth: 2)
        }
        #expect(added?.reason == .tooDeep(limit: 2))
        let moved = #expect(throws: JSONPatchFault.self) {
            try JSONPatch([.move(from: JSONPointer(["x"]), to: JSONPointer(["a", "b"]))]).applied(
                to: ["x": [[]], "a": [:]], depth: 3)
        }
        #expect(moved?.reason == .tooDeep(limit: 3))
    }
}

extension String {
    /// The tree of this JSON text.
    var tree: JSON { get throws { try JSON(parsing: Array(utf8)) } }
}
