import JSON
import Reactive
import ServerReads
import StateStore

/// A feature for tests of parameters and windows: cards with a secret that no view shows.
struct BoardState {
    let cards = Table<String, Card>()
}

struct Card: Record {
    var votes = 0
    var secret = ""

    static let shape = Shape(Card()) {
        $0.optional("votes", \.votes)
        $0.optional("secret", \.secret)
    }
}

/// A card as views show it.
struct ShownCard: Record {
    var id = ""
    var votes = 0

    static let shape = Shape(ShownCard()) {
        $0.required("id", \.id)
        $0.required("votes", \.votes)
    }
}

/// Cards to put, and the ids of those to remove.
struct CardChange: Record {
    var put: [ShownCard] = []
    var removed: [String] = []
    var secret = ""

    static let shape = Shape(CardChange()) {
        $0.optional("put", \.put)
        $0.optional("removed", \.removed)
        $0.optional("secret", \.secret)
    }
}

struct CardReference: Record {
    var id = ""

    static let shape = Shape(CardReference()) {
        $0.required("id", \.id)
    }
}

/// Parameters of every type that a query can hold.
struct CardFilter: Record {
    var votes = 0
    var prefix = ""
    var factor: Decimal = 1
    var isRising = true
    var suffix: String?

    static let shape = Shape(CardFilter()) {
        $0.optional("votes", \.votes, .from(0...1_000))
        $0.optional("prefix", \.prefix)
        $0.optional("factor", \.factor)
        $0.optional("isRising", \.isRising)
        $0.optional("suffix", \.suffix)
    }
}

struct BoardService: StateService {
    let change: Action<CardChange>

    init(_ board: BoardState) {
        change = Action { input, commit in
            for card in input.put { commit[board.cards, card.id] = Card(votes: card.votes, secret: input.secret) }
            for id in input.removed { commit[board.cards, id] = nil }
        }
    }
}

struct BoardViewModel: ViewModel {
    let card: ParameterView<CardReference, Int?>
    let filtered: ParameterView<CardFilter, RowList<String, ShownCard>>
    let top: OrderedRows<String, ShownCard>
    let names: Observable<[String]>

    init(_ board: BoardState, _ tally: Tally) {
        func shown(_ list: OrderedRows<String, Card>) -> OrderedRows<String, ShownCard> {
            list.map { id, card in tally.count("shown", ShownCard(id: id, votes: card.votes)) }
        }
        card = ParameterView { input in
            _ = tally.count("instance", 0)
            return board.cards.row(input.id).map { card in tally.count("card", card?.votes) }
        }
        filtered = ParameterView { input in
            shown(
                board.cards.filter { id, card in
                    card.votes >= input.votes && id.hasPrefix(input.prefix) && id.hasSuffix(input.suffix ?? "")
                }
                .sorted(by: input.isRising ? .ascending(\.votes) : .descending(\.votes)))
        }
        top = shown(board.cards.sorted(by: .descending(\.votes)))
        names = board.cards.sorted().map { $0.map(\.key) }
    }
}

/// A board in a store whose journal never blocks.
final class BoardStand {
    let tally = Tally()
    let registry: Registry
    let journal: MemoryJournal
    let stores: Stores
    let executor = TestExecutor()

    init(_ journal: MemoryJournal = MemoryJournal()) throws {
        self.journal = journal
        registry = try Registry([
            Feature("board", BoardState.init, BoardService.init) { [tally] in BoardViewModel($0, tally) }
        ])
        stores = try Stores(
            registry, executors: [executor], writer: InlineJournalWriter(journal), seed: 1,
            clock: { Timestamp(microseconds: 0) })
    }

    var store: Store { stores[0] }

    func put(_ cards: [String: Int], removed: [String] = [], secret: String = "", in space: SpaceName = .main) throws {
        let put = cards.map { ShownCard(id: $0.key, votes: $0.value) }
        let input = try CardChange(put: put, removed: removed, secret: secret).json()
        var result: Result<Answer, Refusal>?
        store.perform(Call(feature: "board", action: "change", input: input), in: space) { result = $0 }
        executor.runPosted()
        guard case .success? = result else { throw Unanswered(result: "\(String(describing: result))") }
    }

    /// Returns the canonical form of a name.
    func name(_ written: String) throws -> String { try store.viewName(ViewKey(written)).description }

    /// The value of a view, by a name in any form.
    func read(_ written: String, in space: SpaceName = .main) throws -> JSON {
        var result: Result<ViewSnapshot, Refusal>?
        store.read([try name(written)], in: space) { result = $0 }
        executor.runPosted()
        guard case .success(let snapshot)? = result, case .success(let value) = snapshot.views[0].frame.value else {
            throw Unanswered(result: "\(String(describing: result))")
        }
        return try JSON(parsing: value.bytes)
    }

    func watch(_ written: String..., in space: SpaceName = .main) throws -> Told {
        let told = Told()
        told.watch = store.watch(try written.map { try name($0) }, in: space) { [weak told] in told?.hear($0) }
        executor.runPosted()
        return told
    }

    struct Unanswered: Error { let result: String }
}
