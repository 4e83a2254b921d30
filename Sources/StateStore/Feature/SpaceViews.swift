public import JSON
public import Reactive

/// The views of a space and of `common`, by name: for a feature that is told at run time what it is to derive from.
/// Those that are derived from views are told of them in the same commit, as if they had been named in the program.
public final class SpaceViews {
    /// One feature, which is kept by the space that this belongs to.
    private struct FeatureReference {
        unowned let feature: FeatureInstance
    }

    private var features: [FeatureReference] = []
    /// The views of `common`.
    private let common: SpaceViews?
    private let time: () -> any Scheduler
    private var trees: [String: Observable<JSON>] = [:]

    /// The views of what is yet to be made.
    init(beside common: SpaceViews? = nil, time: @escaping () -> any Scheduler = { VirtualScheduler() }) {
        self.common = common
        self.time = time
    }

    /// Adds the views of features that have been made.
    func take(_ features: [FeatureInstance]) {
        self.features = features.map { FeatureReference(feature: $0) }
    }

    /// The scheduler of the space's home.
    public var scheduler: any Scheduler { time() }

    /// The view of a name, as `feature.view`; nil where there is none. It is one that the program names: what an
    /// `OpenViewModel` has beyond that is not among them.
    public subscript(name: String) -> Observable<JSON>? {
        if let tree = common?[name] ?? trees[name] { return tree }
        guard let view = features.lazy.compactMap({ $0.feature.view(of: name) }).first else { return nil }
        let tree = view.tree()
        trees[name] = tree
        return tree
    }
}

extension Feature {
    /// A feature that derives from whatever views the space has.
    public init<State, Service: StateService, Model: ViewModel>(
        _ name: String, in scope: Scope = .space, state: @escaping @Sendable () -> State,
        service: @escaping @Sendable (State, SpaceViews) -> Service,
        viewModel: @escaping @Sendable (State, SpaceViews) -> Model
    ) {
        self.init(name, in: scope) { states in
            let state = state()
            states.add(state)
            let views = states.views
            return Parts(
                state: state, makeService: { service(state, views) }, makeViewModel: { viewModel(state, views) },
                makeEffects: { _ in nil })
        }
    }
}
