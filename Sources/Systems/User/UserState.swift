import Reactive
import StateStore

/// Who is here.
struct UserState {
    let isLoggedIn = Variable(false)
    let name = Variable<String?>(nil)
}
