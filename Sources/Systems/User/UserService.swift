import StateStore

/// Logging in and out.
struct UserService: StateService {
    let logIn: Action<UserName>
    let logOut: Action<Nothing>
    let save: Action<UserName>

    init(_ user: UserState) {
        logIn = Action { input, commit in
            commit[user.isLoggedIn] = true
            commit[user.name] = input.name
        }
        logOut = Action { commit in
            commit[user.isLoggedIn] = false
        }
        save = Action { input, commit in
            commit[user.name] = input.name
        }
    }
}

/// The name of a user.
struct UserName: Record {
    var name = ""

    static let shape = Shape(UserName()) {
        $0.required("name", \.name, .line(1...100))
    }
}
