import Reactive
import StateStore

struct GameState { let position = Variable(0) }

struct GameViewModel: ViewModel {
    let moves: Observable<Int>

    init(_ game: GameState) {
        // snippet
    }
}
