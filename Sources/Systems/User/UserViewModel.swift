import Reactive
import StateStore

/// The view of the user.
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
