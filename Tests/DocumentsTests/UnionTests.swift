import JSON
import StateStore
import Testing

@testable import Documents

/// Unions with a discriminator and nullable references, in schemas and in expressions.
@Suite struct UnionTests {
    private static func document(
        view: String = "1", guarded: String = "true", step: String = #"{"clear": "payments"}"#, select: String = "key",
        condition: String = "true"
    ) -> String {
        #"""
        {"feature": "pay", "home": "space",
          "types": {
            "Card": {"type": "object", "properties": {"kind": {"const": "card"}, "number": {"type": "string"},
              "note": {"type": "string", "default": "-"}}, "required": ["kind", "number"]},
            "Bank": {"type": "object", "properties": {"kind": {"const": "bank"}, "iban": {"type": "string"},
              "amount": {"type": "integer"}}, "required": ["kind", "iban", "amount"]},
            "Cash": {"type": "object", "properties": {"kind": {"const": "cash"}, "amount": {"type": "integer"}},
              "required": ["kind", "amount"]},
            "Payment": {"oneOf": [{"$ref": "#/types/Card"}, {"$ref": "#/types/Bank"}, {"$ref": "#/types/Cash"}],
              "discriminator": {"propertyName": "kind"}}},
          "state": {"payments": {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Payment"}}},
            "last": {"value": {"anyOf": [{"$ref": "#/types/Card"}, {"type": "null"}]}, "initial": null}},
          "actions": {
            "pay": {"input": {"type": "object", "properties": {"id": {"type": "string"},
              "how": {"$ref": "#/types/Payment"}}, "required": ["id", "how"]},
              "do": [{"put": "payments", "key": "input.id", "row": "input.how"}]},
            "swipe": {"input": {"type": "object", "properties": {"how": {"$ref": "#/types/Payment"}}, "required": ["how"]},
              "require": [{"that": "\#(guarded)", "else": {"detail": "no"}}], "do": [\#(step)]}},
          "views": {"v": {"expression": "\#(view)"},
            "list": {"from": "payments", "where": "\#(condition)", "select": "\#(select)"}}}
        """#
    }

    private func faults(
        view: String = "1", guarded: String = "true", step: String = #"{"clear": "payments"}"#, select: String = "key",
        condition: String = "true"
    ) throws -> [String] {
        DocumentsTests.faults(
            try parse(Self.document(view: view, guarded: guarded, step: step, select: select, condition: condition)))
    }

    // Law DOC15
    @Test(arguments: [
        "state.payments['a'].kind == 'card' && state.payments['a'].number != ''",
        "state.payments['a'].kind == 'card' ? state.payments['a'].number : state.payments['a'].amount",
        "state.payments['a'].kind != 'card' || state.payments['a'].number == ''",
        "!(state.payments['a'].kind in ['card', 'cash']) && state.payments['a'].iban != ''",
        "state.payments['a'].kind in ['bank', 'cash'] ? state.payments['a'].amount : 0",
        "state.payments.exists(k, state.payments[k].kind == 'card' && state.payments[k].number != '')",
        "state.payments['a'].kind", "state.last == null ? '' : state.last.number",
    ])
    func `a test of the discriminator narrows`(_ view: String) throws {
        #expect(try faults(view: view) == [])
    }

    @Test(arguments: [
        ("state.payments['a'].number", "the member 'number' is there only if state.payments['a'].kind is 'card'"),
        (
            "state.payments['a'].amount",
            "the member 'amount' is there only if state.payments['a'].kind is 'bank', 'cash'"
        ),
        ("state.payments['a'].kind == 'card' && state.payments['a'].iban != ''", "the member 'iban' is there only if"),
        (
            "state.payments['a'].kind == 'card' || state.payments['a'].number != ''",
            "the member 'number' is there only if"
        ),
        (
            "state.payments['b'].kind == 'card' && state.payments['a'].number != ''",
            "the member 'number' is there only if"
        ),
        ("state.payments['a'].nubmer", "there is no member 'nubmer'; did you mean number?"),
    ])
    func `a member that not all branches have is a fault that names the branches`(
        _ view: String, _ words: String
    ) throws {
        let found = try faults(view: view)
        #expect(found.count == 1 && found.first?.contains(words) == true, "\(found)")
    }

    // Law DOC15
    @Test func `a guard, a step with when, and where narrow what follows`() throws {
        let step = #"{"set": "last", "to": "{'kind': 'card', 'number': input.how.number}"}"#
        #expect(try faults(guarded: "input.how.kind == 'card'", step: step) == [])
        #expect(try faults(step: step).count == 1)
        #expect(try faults(step: #"{"when": "input.how.kind == 'card'", "do": [\#(step)]}"#) == [])
        #expect(try faults(step: #"{"when": "input.how.kind == 'card'", "do": [], "else": [\#(step)]}"#).count == 1)
        #expect(try faults(select: "row.iban", condition: "row.kind == 'bank'") == [])
        #expect(try faults(select: "row.iban").count == 1)
    }

    @Test func `values have the schema of their branch, with its defaults`() throws {
        let server = try DocumentServer(try parse(Self.document(view: "state.payments")))
        try server.act("pay/pay", ["id": "a", "how": ["kind": "card", "number": "4"]])
        #expect(try server.view("pay.v") == ["a": ["kind": "card", "number": "4", "note": "-"]])
        for (how, pointer, words) in [
            (["kind": "card"] as JSON, "/how/number", "is missing"),
            (["kind": "check"], "/how/kind", "must be one of card, bank, cash"),
            ([:], "/how/kind", "is missing"), (["kind": "cash", "amount": "1"], "/how/amount", "expected an integer"),
            (["kind": "cash", "amount": 1, "number": "2"], "/how/number", "is unknown"),
            (3, "/how", "expected an object"),
        ] {
            let refusal = server.refusal("pay/pay", ["id": "a", "how": how])
            #expect(refusal?.pointer.map { "\($0)" } == pointer, "\(how) \(String(describing: refusal))")
            #expect(refusal?.description.contains(words) == true, "\(how) \(String(describing: refusal))")
        }
    }

    @Test func `the contract has oneOf with its discriminator, and null among the types`() throws {
        let features = try compile(["pay": parse(Self.document(view: "state.last"))])
        let input = features["pay"]?.actions.first { $0.label == "pay" }?.input
        let how = input?["properties"]?["how"]
        #expect(how?["discriminator"] == ["propertyName": "kind"])
        guard case .array(let branches)? = how?["oneOf"] else {
            return #expect(Bool(false), "\(String(describing: how))")
        }
        #expect(branches.map { $0["properties"]?["kind"]?["const"] } == ["card", "bank", "cash"])
        #expect(features["pay"]?.state.first { $0.label == "last" }?.schema["type"] == ["object", "null"])
    }

    @Test func `a faulty union is refused at its places`() throws {
        let text = #"""
            {"feature": "f", "home": "space", "state": {
              "a": {"value": {"oneOf": [{"type": "object", "properties": {"kind": {"type": "string"}}}],
                "discriminator": {"propertyName": "kind"}}, "initial": {}},
              "b": {"value": {"oneOf": [{"type": "object", "properties": {"k": {"const": "x"}}},
                {"type": "object", "properties": {"k": {"const": "x"}}}], "discriminator": {"propertyName": "k", "map": 1}},
                "initial": {}},
              "c": {"value": {"oneOf": [{"type": "string"}]}, "initial": ""},
              "d": {"value": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "initial": ""},
              "e": {"value": {"discriminator": {"propertyName": "k"}}, "initial": 1}}}
            """#
        let found = DocumentsTests.faults(try parse(text))
        for place in [
            "/state/a/value/oneOf/0", "/state/b/value/oneOf/1", "/state/b/value/discriminator/map",
            "/state/c/value/oneOf",
            "/state/d/value/anyOf", "/state/e/value/discriminator",
        ] {
            #expect(found.contains { $0.hasPrefix("\(place): ") }, "\(place) \(found)")
        }
    }

    @Test func `a branch may be added, and none may go`() throws {
        let old = try compile(["pay": parse(Self.document())])["pay"]
        let fewer = Self.document().replacing(##", {"$ref": "#/types/Cash"}"##, with: "")
        let new = try compile(["pay": parse(fewer)])["pay"]
        let (before, after) = (try #require(old), try #require(new))
        #expect(after.faults(after: before).map(\.detail).contains { $0.contains("may be \"cash\"") })
        #expect(before.faults(after: after).isEmpty)
    }
}
