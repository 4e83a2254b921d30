import JSON
import Reactive
package import StateStore

/// A feature for tests: the tokens that were entered, and their count.
struct RosterState {
    let count = Variable(0)
    let tokens = Table<String, Int>()
    /// Work for an effect.
    let errand = Variable<String?>(nil)
    /// The space that an effect enters.
    let visit = Variable<String?>(nil)
}

struct RosterService: StateService {
    let enter: Action<RosterToken>
    let enterOnce: Action<RosterToken>
    let fill: Action<Filling>
    let send: Action<RosterToken>
    let visit: Action<RosterToken>
    let arrive: Action<NoInput>

    init(_ roster: RosterState) {
        enter = Action { input, commit in
            commit[roster.count] += 1
            commit[roster.tokens, input.token] = commit[roster.count]
        }
        enterOnce = Action { input, commit throws(Rejection) in
            guard commit[roster.tokens, input.token] == nil else { throw Rejection(.conflict, "the token has entered") }
            commit[roster.count] += 1
            commit[roster.tokens, input.token] = commit[roster.count]
        }
        send = Action { input, commit in commit[roster.errand] = input.token }
        visit = Action { input, commit in commit[roster.visit] = input.token }
        arrive = Action { _, commit in commit[roster.visit] = nil }
        fill = Action { input, commit in
            commit[roster.count] += 1
            commit[roster.tokens, String(repeating: "x", count: input.bytes)] = 1
        }
    }
}

struct RosterViewModel: ViewModel {
    let count: Observable<Int>

    init(_ roster: RosterState) {
        count = roster.count
    }
}

struct RosterEffects: Effects {
    let run: Effect
    let visiting: Effect

    init(_ roster: RosterState, _ outside: Outside) {
        run = Effect(for: roster.errand) { name in
            outside.fetch(OutgoingRequest("GET", "http://127.0.0.1/\(name)", target: "test"))
        }
        visiting = Effect(for: roster.visit) { name in
            outside.perform("enter", RosterToken(token: "visitor"), in: SpaceName(name) ?? .a)
                .flatMap { _ in outside.perform("arrive") }
        }
    }
}

struct RosterToken: Record {
    var token = ""

    static let shape = Shape(RosterToken()) {
        $0.required("token", \.token, .line(1...40))
    }
}

struct Filling: Record {
    var bytes = 1

    static let shape = Shape(Filling()) {
        $0.required("bytes", \.bytes, .from(1...20_000_000))
    }
}

extension Registry {
    /// The features for tests: one of each space and one of `common`.
    package static func roster() throws -> Registry {
        try Registry([
            Feature("list", in: .common, RosterState.init, RosterService.init) { RosterViewModel($0) },
            Feature("roster", RosterState.init, RosterService.init) {
                RosterViewModel($0)
            } effects: {
                RosterEffects($0, $1)
            },
        ])
    }
}

extension SpaceName {
    package static let a = SpaceName("a") ?? .common
    package static let b = SpaceName("b") ?? .common
}
