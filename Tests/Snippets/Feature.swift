import Reactive
import StateStore

struct UserState { let name = Variable("") }
struct UserService: StateService { init(_ user: UserState) {} }
struct UserViewModel: ViewModel {
    let name: Observable<String>

    init(_ user: UserState) { name = user.name.map { $0 } }
}

static var feature: Feature {
    // snippet
}
