import Hosting
import Documents
import JSON
import Reactive
import StateStore
import Streams

/// The features of a run of documents: two documents, one in Swift whose views remember by name, and the streams that
/// clients define.
enum DeskFeatures {
    /// Rows with their owners, initial rows, two recurring schedules, rules over tokens, and pipelines.
    static let desk = #"""
        {"feature": "desk", "home": "space",
         "state": {
           "rows": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
             "by": {"type": "string"}, "text": {"type": "string"}}, "required": ["by", "text"]}},
             "initial": {"first": {"by": "nobody", "text": "begin"}}},
           "beats": {"value": {"type": "integer"}, "initial": 0},
           "ticks": {"value": {"type": "integer"}, "initial": 0}},
         "actions": {
           "add": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "text": {"type": "string"}},
             "required": ["id", "text"]},
             "do": [{"put": "rows", "key": "input.id", "row": "{'by': token.sub, 'text': input.text}"}]},
           "remove": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
             "allow": "input.id in state.rows && state.rows[input.id].by == token.sub",
             "do": [{"remove": "rows", "key": "input.id"}]},
           "beat": {"input": {"type": "object", "properties": {"at": {"type": "string"}}}, "allow": "false",
             "do": [{"set": "beats", "to": "state.beats + 1"}]},
           "tick": {"input": {"type": "object", "properties": {"at": {"type": "string"}}}, "allow": "false",
             "do": [{"set": "ticks", "to": "state.ticks + 1"}]}},
         "views": {
           "all": {"from": "rows", "select": "key + ' ' + row.by + ' ' + row.text"},
           "size": {"expression": "size(state.rows)"},
           "beats": {"expression": "state.beats"},
           "ticks": {"expression": "state.ticks"},
           "most": {"source": {"view": "desk.size"}, "operators": [{"scan": {"initialValue": 0,
             "expression": "accumulated > value ? accumulated : value"}}]},
           "adds": {"source": {"fold": {"over": {"changes": ["desk/add"]}, "initialValue": 0,
             "expression": "accumulated + 1"}}},
           "calm": {"source": {"view": "desk.size"}, "operators": [{"debounce": {"seconds": 5}}]}},
         "schedules": {
           "beat": {"every": 60, "exact": true, "act": "beat", "input": "{'at': string(now)}"},
           "tick": {"cron": "*/2 * * * *", "zone": "Europe/Berlin", "act": "tick", "input": "{'at': string(now)}"}}}
        """#

    /// A document that goes, and its state with it.
    static let passing = #"""
        {"feature": "passing", "home": "space",
         "state": {"n": {"value": {"type": "integer"}, "initial": 0}},
         "actions": {"set": {"input": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
           "do": [{"set": "n", "to": "input.n"}]}},
         "views": {"n": {"expression": "state.n"}}}
        """#

    /// The definition of the stream `sum`: the sum of the numbers since it was put, and `number`.
    static func sum(from number: Int) -> String {
        #"""
        {"id": "sum", "source": {"view": "tally.number"}, "operators": [
          {"scan": {"initialValue": \#(number), "expression": "accumulated + value"}}]}
        """#
    }

    /// The definition of the stream `late`: five seconds after each change, the number of changes and `number`.
    static func late(by number: Int) -> String {
        #"""
        {"id": "late", "source": {"view": "tally.count"}, "operators": [
          {"debounce": {"seconds": 5}}, {"map": {"expression": "value + \#(number)"}}]}
        """#
    }

    static func registry() throws -> Registry {
        try Registry([
            Feature("tally", TallyState.init, TallyService.init) { TallyViewModel($0) },
            .streams(),
            .documents(),
        ])
    }

    static func library(_ registry: Registry) -> DocumentLibrary { DocumentLibrary(registry, FeatureCompiler()) }
}

struct TallyState {
    let number = Variable(0)
}

struct TallyService: StateService {
    let set: Action<TallyNumber>

    init(_ tally: TallyState) {
        set = Action { input, commit in commit[tally.number] = input.n }
    }
}

/// Views with named operators.
struct TallyViewModel: ViewModel {
    let number: Observable<Int>
    let total: Observable<Int>
    let count: Observable<Int>

    init(_ tally: TallyState) {
        number = tally.number
        total = tally.number.scan("total", 0) { $0 + $1 }
        count = changes("tally/set", TallyNumber.self).reduce("count", 0) { count, _ in count + 1 }
    }
}

struct TallyNumber: Record {
    var n = 0

    static let shape = Shape(TallyNumber()) {
        $0.required("n", \.n, .from(0...1_000))
    }
}
