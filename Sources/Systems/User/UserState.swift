import Reactive
import StateStore

/// The current user.
struct UserState {
    let isLoggedIn = Variable(false)
    let name = Variable<String?>(nil)
}
