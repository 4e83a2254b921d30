import Reactive

/// Who is here.
struct UserState {
    let isLoggedIn = Variable(false)
    let name = Variable<String?>(nil)
}
