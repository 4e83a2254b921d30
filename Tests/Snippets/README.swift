import Reactive
import StateStore

enum User {
    static let user = UserState()

    // snippet
}
