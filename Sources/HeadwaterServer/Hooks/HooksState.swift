import Reactive
import StateStore

/// The hooks of all spaces, kept in `common`: so the return of a space to an earlier state leaves them as they are.
struct HooksState {
    /// The hooks, by `space/id`.
    let hooks = Table<String, StoredHook>()
    /// The place that each hook has reached, by the same key.
    let places = Table<String, StoredHookPlace>()
}

/// A hook as the journal keeps it.
struct StoredHook: Record {
    /// The patterns of actions; empty for a hook over a view.
    var changes: [String] = []
    var view: String?
    /// The URL and the secret, encrypted.
    var sealed = ""
    /// The version of `common` of the commit that put it. It distinguishes the hook from earlier ones of the same name.
    var number = 0
    /// The versions of the space and of `common` after which it begins.
    var version = 0
    var common = 0
    /// True if its owner had not the right `admin` in the space; nil is false.
    var isLimited: Bool?
    /// The feature whose document declares it, its URL, the name of its secret, and the version of `common` that its commits
    /// have seen; nil for a hook that a client put.
    var document: String?
    var url: String?
    var secret: String?
    var since: Int?

    static let shape = Shape(StoredHook()) {
        $0.required("changes", \.changes)
        $0.optional("view", \.view)
        $0.required("sealed", \.sealed)
        $0.required("number", \.number)
        $0.required("version", \.version)
        $0.required("common", \.common)
        $0.optional("isLimited", \.isLimited)
        $0.optional("document", \.document)
        $0.optional("url", \.url)
        $0.optional("secret", \.secret)
        $0.optional("since", \.since)
    }

    /// The owner of the hook as a reader, with the rights that it had.
    func reader(_ owner: Caller) -> Reader {
        Reader(owner, Permissions([.init(isLimited == true ? .define : .admin, in: [.any])]))
    }

    var source: HookSource { view.map { .view($0) } ?? .changes(changes) }
    var start: Moment { Moment(version: version, common: common) }
}

/// The place that a hook has reached.
struct StoredHookPlace: Record {
    /// The number of the hook.
    var number = 0
    /// The versions of the space and of `common` up to which everything was delivered.
    var version = 0
    var common = 0
    /// The reason why the hook has stopped, or nil.
    var stopped: String?

    static let shape = Shape(StoredHookPlace()) {
        $0.required("number", \.number)
        $0.required("version", \.version)
        $0.required("common", \.common)
        $0.optional("stopped", \.stopped)
    }

    var moment: Moment { Moment(version: version, common: common) }
}
