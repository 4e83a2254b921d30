import Hosting
import Documents
import JSON
import Reactive
import ServiceInProcess
import StateStore
import Testing

/// The rules run after the input was checked. A feature in Swift and a document answer the same.
@Suite struct RuleOrderTests {
    struct Amount: Record {
        var count = 0
        var step = 5

        static let shape = Shape(Amount()) {
            $0.required("count", \.count, .from(0...9))
            $0.optional("step", \.step)
        }
    }

    struct TillState {
        let sum = Variable(0)
    }

    struct TillService: StateService {
        /// A rule that is true for the default of `step` only.
        let allow: ActRule
        let add: Action<Amount>
        let take: Action<Amount>

        init(_ till: TillState) {
            allow = ActRule { input, _ in input["step"] == 5 }
            add = Action { input, commit in commit[till.sum] += input.count }
            take = Action(
                allow: { input, commit in commit[till.sum] >= input.count },
                { input, commit in commit[till.sum] -= input.count })
        }
    }

    struct TillViewModel: ViewModel {
        let sum: Observable<Int>

        init(_ till: TillState) { sum = till.sum.map { $0 } }
    }

    private static let document = """
        {"feature": "desk", "home": "space",
         "types": {"Amount": {"type": "object", "properties": {
           "count": {"type": "integer", "minimum": 0, "maximum": 9}, "step": {"type": "integer", "default": 5}},
           "required": ["count"]}},
         "state": {"sum": {"value": {"type": "integer"}, "initial": 0}},
         "actions": {
           "add": {"input": {"$ref": "#/types/Amount"}, "do": [{"set": "sum", "to": "state.sum + input.count"}]},
           "take": {"input": {"$ref": "#/types/Amount"}, "allow": "state.sum >= input.count",
             "do": [{"set": "sum", "to": "state.sum - input.count"}]}},
         "views": {"sum": {"expression": "state.sum"}},
         "allow": {"act": "input.step == 5"}}
        """

    @Test(arguments: ["till", "desk"]) func `an input that cannot be read is refused before a rule is asked`(
        _ feature: String
    ) throws {
        let till = Feature("till", TillState.init, TillService.init, TillViewModel.init)
        let service = try ServiceInProcess(documents: FeatureCompiler(), features: [till])
        #expect(try service.ask("PUT /v1/features/desk", [:], Self.document).status == 201)
        func post(_ action: String, _ body: String) throws -> Int {
            try service.ask("POST /v1/spaces/main/\(feature)/\(action)", [:], body).status
        }
        // The rules would refuse each of these.
        #expect(try post("add", #"{"step": 1}"#) == 422)
        #expect(try post("add", #"{"count": "many", "step": 1}"#) == 422)
        #expect(try post("add", #"{"count": 1, "step": 1, "more": 1}"#) == 422)
        #expect(try post("add", #"{"count": 1, "step": 1"#) == 400)
        #expect(try post("take", #"{"count": 10}"#) == 422)
        #expect(try post("add", #"{"count": 1, "step": 1}"#) == 403)
        #expect(try post("take", #"{"count": 1}"#) == 403)
        // A rule sees the default of a member that is missing.
        #expect(try post("add", #"{"count": 1}"#) == 200)
        #expect(try post("take", #"{"count": 1, "step": 5}"#) == 200)
    }
}
