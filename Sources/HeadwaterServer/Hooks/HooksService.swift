import Reactive
import StateStore

/// The actions that keep hooks. The handler of hooks performs `put` and `remove`, the effect `reached`.
struct HooksService: StateService {
    /// The greatest number of hooks of a space, and of all spaces.
    static let spaceLimit = 20
    static let limit = 10_000

    let put: InternalAction<HookInput>
    let remove: InternalAction<HookKey>
    let reached: InternalAction<HookProgress>
    let left: SpaceDeletionHandler

    init(_ state: HooksState) {
        put = InternalAction { input, commit throws(Rejection) in
            var start = Moment(version: input.version, common: input.common)
            var since = input.since
            if let old = commit[state.hooks, input.hook] {
                since = input.document == nil ? nil : old.since ?? input.since
                // A hook that is put again goes on where it was, if the journal still has the commits.
                let place = max(old.start, commit[state.places, input.hook]?.moment ?? .beginning)
                start = Moment(
                    version: max(place.version, input.oldestVersion), common: max(place.common, input.oldestCommon))
            } else {
                let keys = commit.rows(of: state.hooks).keys
                let space = input.hook.prefix { $0 != "/" } + "/"
                guard keys.count < Self.limit else {
                    throw .conflict("there are \(Self.limit) hooks, which is the limit")
                }
                guard input.document != nil || keys.lazy.filter({ $0.hasPrefix(space) }).count < Self.spaceLimit else {
                    throw .conflict("the space has \(Self.spaceLimit) hooks, which is the limit")
                }
            }
            commit[state.places, input.hook] = nil
            commit[state.hooks, input.hook] = StoredHook(
                changes: input.changes, view: input.view, sealed: input.sealed, number: commit.version,
                version: start.version, common: start.common, isLimited: input.isLimited, document: input.document,
                url: input.url, secret: input.secret, since: since)
        }
        remove = InternalAction { input, commit in
            commit[state.hooks, input.hook] = nil
            commit[state.places, input.hook] = nil
        }
        reached = InternalAction { input, commit throws(Rejection) in
            guard commit[state.hooks, input.hook]?.number == input.number else { throw .conflict("the hook is gone") }
            commit[state.places, input.hook] = StoredHookPlace(
                number: input.number, version: input.version, common: input.common, stopped: input.stopped)
        }
        left = SpaceDeletionHandler(to: { commit in
            // A space that did not exist when its hook was put may still not exist: then nobody has deleted it.
            let known = commit.rows(of: state.hooks).filter { key, hook in
                max(hook.version, commit[state.places, key]?.version ?? 0) > 0
            }
            return Set(known.keys.map { String($0.prefix { $0 != "/" }) }).subtracting(["common"])
        }) { space, commit in
            for key in commit.rows(of: state.hooks).keys where key.hasPrefix("\(space)/") {
                commit[state.hooks, key] = nil
                commit[state.places, key] = nil
            }
        }
    }
}

/// Hooks have no views: their paths need the right `define`, and views do not.
struct HooksViewModel: ViewModel {}

/// A hook that is put.
struct HookInput: Record {
    /// Its `space/id`.
    var hook = ""
    var changes: [String] = []
    var view: String?
    var sealed = ""
    /// The newest versions of the space and of `common`,
    var version = 0
    var common = 0
    /// and those whose later commits the journal has.
    var oldestVersion = 0
    var oldestCommon = 0
    /// True if its owner has not the right `admin` in the space; nil is false.
    var isLimited: Bool?
    /// Those of a hook that a document declares.
    var document: String?
    var url: String?
    var secret: String?
    var since: Int?

    static let shape = Shape(HookInput()) {
        $0.required("hook", \.hook)
        $0.required("changes", \.changes)
        $0.optional("view", \.view)
        $0.required("sealed", \.sealed)
        $0.required("version", \.version)
        $0.required("common", \.common)
        $0.required("oldestVersion", \.oldestVersion)
        $0.required("oldestCommon", \.oldestCommon)
        $0.optional("isLimited", \.isLimited)
        $0.optional("document", \.document)
        $0.optional("url", \.url)
        $0.optional("secret", \.secret)
        $0.optional("since", \.since)
    }
}

/// The key of a hook.
struct HookKey: Record {
    var hook = ""

    static let shape = Shape(HookKey()) {
        $0.required("hook", \.hook)
    }
}

/// The place that a hook has reached.
struct HookProgress: Record {
    var hook = ""
    var number = 0
    var version = 0
    var common = 0
    var stopped: String?

    static let shape = Shape(HookProgress()) {
        $0.required("hook", \.hook)
        $0.required("number", \.number)
        $0.required("version", \.version)
        $0.required("common", \.common)
        $0.optional("stopped", \.stopped)
    }
}
