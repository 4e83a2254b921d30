import StateStore

/// The actions that log a user in and out.
struct UserService: StateService {
    let logIn: Action<LogIn>
    let logOut: Action<NoInput>
    let save: Action<UserName>

    init(_ user: UserState) {
        logIn = Action { input, commit throws(Rejection) in
            guard let name = input.name ?? commit[user.name] else {
                throw .invalid("no name is saved, so a name is required", at: "name")
            }
            commit[user.isLoggedIn] = true
            commit[user.name] = name
        }
        logOut = Action { commit in
            commit[user.isLoggedIn] = false
        }
        save = Action { input, commit in
            commit[user.name] = input.name
        }
    }
}

/// The name to log in with; nil for the saved name.
struct LogIn: Record {
    var name: String?

    static let shape = Shape(LogIn()) {
        $0.optional("name", \.name, .whereGiven(.line(1...100)))
    }
}

/// The name of a user.
struct UserName: Record {
    var name = ""

    static let shape = Shape(UserName()) {
        $0.required("name", \.name, .line(1...100))
    }
}
