import Reactive
import StateStore

struct GameState {
    let position = Variable(0)
    let score = Variable(0)
}

struct Addition: Record { var points = 0 }

// snippet
