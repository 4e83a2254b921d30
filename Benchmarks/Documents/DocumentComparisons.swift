import Hosting
import Documents
import JSON
import Reactive
import ServerReads
import StateStore

/// The feature of the comparisons as a document.
private let document: JSON = [
    "feature": "votes", "home": "space",
    "state": [
        "cards": [
            "table": [
                "key": ["type": "string"],
                "row": [
                    "type": "object",
                    "properties": ["text": ["type": "string"], "votes": ["type": "integer", "default": 0]],
                    "required": ["text"],
                ],
            ]
        ]
    ],
    "actions": [
        "add": [
            "input": ["type": "object", "properties": ["id": ["type": "string"]], "required": ["id"]],
            "do": [["put": "cards", "key": "input.id", "row": "{'text': 'a card'}"]],
        ],
        "vote": [
            "input": ["type": "object", "properties": ["id": ["type": "string"]], "required": ["id"]],
            "require": [
                [
                    "that": "input.id in state.cards",
                    "else": ["detail": "there is no card {input.id}", "pointer": "/id"],
                ]
            ],
            "do": [["update": "cards", "key": "input.id", "with": "{'votes': row.votes + 1}"]],
        ],
    ],
    "views": [
        "sum": ["from": "cards", "sum": "row.votes"],
        "top": [
            "from": "cards", "where": "row.votes > 0", "sort": ["-row.votes", "key"], "limit": 10,
            "select": "{'id': key, 'votes': row.votes}",
        ],
        "one": ["expression": "'1' in state.cards ? state.cards['1'].votes : 0"],
    ],
]

/// The same feature in Swift.
private let swift = Feature("votes", VotesState.init, VotesService.init, VotesViewModel.init)

private struct VotesState {
    let cards = Table<String, VotedCard>()
}

private struct VotedCard: Record {
    var text = ""
    var votes = 0

    static let shape = Shape(VotedCard()) {
        $0.required("text", \.text)
        $0.required("votes", \.votes)
    }
}

private struct CardName: Record {
    var id = ""

    static let shape = Shape(CardName()) { $0.required("id", \.id) }
}

private struct VotesService: StateService {
    let add: Action<CardName>
    let vote: Action<CardName>

    init(_ votes: VotesState) {
        add = Action { input, commit in commit[votes.cards, input.id] = VotedCard(text: "a card") }
        vote = Action { input, commit throws(Rejection) in
            guard var card = commit[votes.cards, input.id] else {
                throw .conflict("there is no card \(input.id)", at: "id")
            }
            card.votes += 1
            commit[votes.cards, input.id] = card
        }
    }
}

private struct TopCard: Record {
    var id = ""
    var votes = 0

    static let shape = Shape(TopCard()) {
        $0.required("id", \.id)
        $0.required("votes", \.votes)
    }
}

private struct VotesViewModel: ViewModel {
    let sum: Observable<Int>
    let top: OrderedRows<String, TopCard>
    let one: Observable<Int>

    init(_ votes: VotesState) {
        sum = votes.cards.fold(0, add: { $0 + $1.votes }, remove: { $0 - $1.votes }).removeDuplicates()
        top = votes.cards.filter { $1.votes > 0 }.sorted(by: .descending(\.votes)).limit(10)
            .map { TopCard(id: $0, votes: $1.votes) }
        one = votes.cards.row("1").map { $0?.votes ?? 0 }.removeDuplicates()
    }
}

private let described = sure { () throws(RegistrationFault) in
    guard case .success(let feature)? = FeatureCompiler().compile(["votes": document], beside: [:])["votes"] else {
        preconditionFailure("the document of the comparisons has faults")
    }
    return try Registry([]).describing([DeployedFeature(feature)])
}

private let inSwift = sure { () throws(RegistrationFault) in try Registry([swift]) }

private let space = SpaceName("main")!

/// Votes for one of 1,000 cards, with views watched.
private func votes(_ registry: Registry, watching views: [String] = []) -> (Int) -> Void {
    let stores = Stores.inline(registry)
    let inputs = (0..<1_000).map { Array(#"{"id":"\#($0)"}"#.utf8) }
    for input in inputs {
        stores[0].perform(Call(feature: "votes", action: "add", input: input), in: space) { _ in }
    }
    guard let vote = registry.action(feature: "votes", name: "vote") else {
        preconditionFailure("there is no such action")
    }
    let watch = stores[0].watch(views, in: space) { _ in }
    return { number in
        withExtendedLifetime(watch) {
            // A prime step, so that every card has its turn.
            stores[0].perform(Call(vote, input: inputs[number &* 7 % 1_000]), in: space) { _ in }
        }
    }
}

/// Actions and views of a document compared with the same in Swift.
let documentComparisons = MeasurementGroup(
    name: "documents",
    comparisons: [
        Comparison(
            name: "an action of a document", allowed: 3, operations: 5_000, ours: { votes(described) },
            limit: { votes(inSwift) }),
        Comparison(
            name: "the same with a sum watched", allowed: 3, operations: 5_000,
            ours: { votes(described, watching: ["votes.sum"]) }, limit: { votes(inSwift, watching: ["votes.sum"]) }),
        Comparison(
            name: "the same with the ten first of a sorted list watched", allowed: 3, operations: 5_000,
            ours: { votes(described, watching: ["votes.top"]) }, limit: { votes(inSwift, watching: ["votes.top"]) }),
        Comparison(
            name: "the same with a view of one card watched", allowed: 3, operations: 5_000,
            ours: { votes(described, watching: ["votes.one"]) }, limit: { votes(inSwift, watching: ["votes.one"]) }),
    ])
