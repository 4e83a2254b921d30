import Reactive
import StateStore

static func readme() {
    var user: UserState { UserState() }
    // snippet
    _ = title
}
