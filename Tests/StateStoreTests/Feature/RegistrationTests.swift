import JSON
import Reactive
import StateStore
import Testing

struct RegistrationTests {
    private struct Empty: StateService, ViewModel {}
    private struct One { let value = Variable(0) }
    private struct Two { let value = Variable(0) }
    private final class Plain {}
    private struct Unkept { let value = Plain() }
    private struct Service: StateService { let value: Action<NoInput> }
    private struct Model: ViewModel { let value: Observable<Int> }
    private struct Shown: ViewModel { let raw = 7 }

    private struct NoParameters: Record {
        static let shape = Shape(NoParameters()) { _ in }
    }
    private struct Nested: Record {
        var card = CardReference()
        static let shape = Shape(Nested()) { $0.optional("card", \.card) }
    }
    private struct Listed: Record {
        var ids: [Int] = []
        static let shape = Shape(Listed()) { $0.optional("ids", \.ids) }
    }
    private struct Reserved: Record {
        var limit = 1
        static let shape = Shape(Reserved()) { $0.optional("limit", \.limit) }
    }
    private struct Underscored: Record {
        var id = 1
        static let shape = Shape(Underscored()) { $0.optional("_id", \.id) }
    }
    private struct Parametrized<Parameters: Record>: ViewModel {
        let view = ParameterView { (_: Parameters) in Observable<Int>.just(1) }
    }

    private static func view<Parameters: Record>(of _: Parameters.Type) -> [Feature] {
        [Feature("a", { One() }, { _ in Empty() }, { _ in Parametrized<Parameters>() })]
    }

    // Law R1
    @Test(arguments: [
        ("a.view is a ParameterView without parameters: store its Observable", view(of: NoParameters.self)),
        ("a.view's parameter card is none that a query can hold", view(of: Nested.self)),
        ("a.view's parameter ids is none that a query can hold", view(of: Listed.self)),
        (
            "a.view cannot have a parameter called \"limit\": a request uses that name otherwise",
            view(of: Reserved.self)
        ),
        ("a.view cannot have a parameter called \"_id\": a name is a letter", view(of: Underscored.self)),
    ])
    func `parameters that a query cannot express are reported at registration`(_ words: String, _ features: [Feature]) {
        let fault = #expect(throws: RegistrationFault.self) { try Registry(features) }
        #expect(fault?.description.hasPrefix(words) == true, "\(fault?.description ?? "nothing")")
    }

    private static func one(_ name: String, in executor: Scope = .space) -> Feature {
        Feature(name, in: executor, { One() }, { _ in Empty() }, { _ in Empty() })
    }

    private static func two(_ name: String, in executor: Scope = .space) -> Feature {
        Feature(name, in: executor, given: One.self, { Two() }, { _, _ in Empty() }, { _, _ in Empty() })
    }

    // Law R1
    @Test(arguments: [
        ("two features are called a", [one("a"), one("a")]),
        ("a feature cannot be called \"a b\": a name is a letter, then letters and digits", [one("a b")]),
        ("a feature cannot be called \"\"", [one("")]),
        ("a feature cannot be called \"1a\"", [one("1a")]),
        ("a feature cannot be called schedules: the server has the names actions, adm", [one("schedules")]),
        ("a feature cannot be called views: the server has", [one("views", in: .common)]),
        ("b is given One, which belongs to no feature that is registered before it", [two("b"), one("a")]),
        (
            "b is given One, which belongs to no feature that is registered before it, or to none that it can see",
            [one("a"), two("b", in: .common)]
        ),
        ("b is given One, which belongs to several features", [one("a"), one("c"), two("b")]),
        (
            "a's state stores value, which is no Variable",
            [Feature("a", { Unkept() }, { _ in Empty() }, { _ in Empty() })]
        ),
        (
            "a's view model stores raw, which is no Observable",
            [Feature("a", { One() }, { _ in Empty() }, { _ in Shown() })]
        ),
    ])
    func `incorrect registrations are reported with a message`(_ words: String, _ features: [Feature]) {
        let fault = #expect(throws: RegistrationFault.self) { try Registry(features) }
        #expect(fault?.description.hasPrefix(words) == true, "\(fault?.description ?? "nothing")")
    }

    // Law R1
    @Test func `correct registrations are accepted`() throws {
        _ = try Registry([Self.one("a"), Self.two("b")])
        // An action and a view may share a path, because their methods differ.
        _ = try Registry([Feature("a", { One() }, { _ in Service(value: Action { _ in }) }, { Model(value: $0.value) })]
        )
        _ = try Registry([Self.one("a", in: .common), Self.two("b", in: .common)])
        _ = try Registry([Self.one("a", in: .common), Self.two("b")])
        _ = try Registry([Self.one("a"), Self.one("b")])
    }

    // Law R2
    @Test func `actions, views and variables describe themselves`() throws {
        let registry = try Registry.ledger()
        #expect(
            registry.actions.map { "\($0.feature)/\($0.name)" }.prefix(4) == [
                "rates/set", "rates/name", "rates/drop", "ledger/add",
            ])
        #expect(registry.actions.map(\.scope).prefix(4) == [.common, .common, .common, .space])
        #expect(
            registry.actions[3].input == [
                "title": "Amount", "type": "object",
                "properties": [
                    "name": [
                        "type": "string",
                        "pattern":
                            #"^ *[^\s\x00-\x1f\x7f-\x9f]([^\x00-\x1f\x7f-\x9f]{0,18}[^\s\x00-\x1f\x7f-\x9f])? *$"#,
                    ],
                    "amount": ["type": "integer", "format": "int64", "minimum": -1_000, "maximum": 1_000],
                ],
                "additionalProperties": false,
            ])
        #expect(
            registry.views.first { $0.name == "ledger.worth" }?.value == [
                "type": "array", "items": ["type": "integer", "format": "int64"],
            ])
        let amounts = try #require(registry.variables.first { $0.name == "ledger.amounts" })
        #expect(amounts.changesByEntry)
        #expect(registry.variables.filter(\.changesByEntry).map(\.name) == ["rates.names", "ledger.amounts"])
    }
}
