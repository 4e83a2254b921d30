import Reactive
import StateStore

/// What is shown of the user.
struct UserViewModel: ViewModel {
    let isLoggedIn: Observable<Bool>
    let name: Observable<String?>
    let title: Observable<String>

    init(_ user: UserState) {
        isLoggedIn = user.isLoggedIn
        name = user.name
        title = combineLatest(user.isLoggedIn, user.name)
            .map { isLoggedIn, name in isLoggedIn ? name ?? "" : "Logged out" }
            .removeDuplicates()
    }
}
