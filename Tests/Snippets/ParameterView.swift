import Reactive
import StateStore

struct Card: Record { var column = "" }
struct CardReference: Record { var id = "" }
struct Column: Record { var name = "" }
struct BoardState { let cards = Table<String, Card>() }

enum One {
    // snippet
}

enum Lists {
    // snippet
}
