import Ground
import Platform
import Outgoing
import Reactive
import StateStore

/// The parts of a server that hooks use.
final class HookSurroundings: Sendable {
    let journalWriter: any JournalWriter
    let past: PastReader
    /// The executor of `common`.
    let executor: any Executor
    let allowed: AllowedHosts
    /// The secrets that the operator gives for the hooks of documents, by name.
    let secrets: [String: HookSecret]
    let seal: Seal
    /// The number of commits of each space that the journal keeps at least.
    let history: Int
    /// The traces of the last commits.
    let traces = TraceMemory()

    init(
        _ journalWriter: any JournalWriter, _ past: PastReader, _ executor: any Executor, allowed: AllowedHosts,
        secrets: [String: HookSecret], history: Int
    ) {
        self.secrets = secrets
        self.journalWriter = journalWriter
        self.past = past
        self.executor = executor
        self.allowed = allowed
        self.history = history
        seal = Seal(of: "hook", journalWriter.journal.digestKey)
    }

    var journal: any Journal { journalWriter.journal }
}

/// The meeting point of the feature that keeps hooks, whose effect delivers, and of the handler of their paths.
///
/// It owns neither, because the registry owns the center.
final class HookCenter: Sendable {
    private final class Known {
        weak var surroundings: HookSurroundings?
        weak var dispatcher: HookDispatcher?
    }

    private let known = Lock(Confined(Known()))

    /// Notes the parts of the server. Without them nothing is delivered.
    func begin(with surroundings: HookSurroundings) {
        known.with { $0.value.surroundings = surroundings }
    }

    /// The running dispatcher, for the executor of `common`; nil before its effect has begun.
    var dispatcher: HookDispatcher? { known.with { $0.value.dispatcher } }

    /// Returns the effect that delivers the hooks of a state.
    fileprivate func effects(_ state: HooksState, _ outside: Outside) -> HooksEffects {
        // The copy of a rehearsal has the same feature and an executor of its own. It delivers nothing.
        guard let surroundings = known.with({ $0.value.surroundings }),
            surroundings.executor.scheduler === outside.scheduler
        else {
            return HooksEffects(deliver: Effect(each: state.hooks) { _, _ in Observable<Int>.never() })
        }
        let dispatcher = HookDispatcher(surroundings, state, outside)
        known.with { $0.value.dispatcher = dispatcher }
        return HooksEffects(deliver: Effect(each: state.hooks) { dispatcher.deliveries(of: $0, $1) })
    }
}

/// The effect that delivers.
struct HooksEffects: Effects {
    let deliver: Effect
}

extension Feature {
    /// The feature that keeps hooks: its name is part of paths, and it has neither views nor actions for clients.
    static func hooks(_ center: HookCenter) -> Feature {
        var feature = Feature(
            HookSource.ownFeature, in: .common, HooksState.init, HooksService.init, { _ in HooksViewModel() },
            effects: { state, outside in center.effects(state, outside) }
        ).ofServer
        // Its commits name the hooks of all spaces.
        feature.hidesCommits = true
        return feature
    }
}
