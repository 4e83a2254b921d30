public import JSON
public import Reactive

/// The views of a space and of `common`, by name: for a feature that learns at run time what it derives from. Its
/// values are of the same commit as those of the views, as if the program had named them.
public final class SpaceViews {
    /// The features of the space, which retain this.
    private unowned let features: FeatureSet
    /// The views of `common`; nil for `common` itself.
    private let common: SpaceViews?
    private let time: () -> any Scheduler
    private var trees: [String: Observable<JSON>] = [:]

    init(of features: FeatureSet, beside common: SpaceViews?, time: @escaping () -> any Scheduler) {
        self.features = features
        self.common = common
        self.time = time
    }

    /// The scheduler of the space's executor.
    public var scheduler: any Scheduler { time() }

    /// The view of a name, as `feature.view`, or an instance of one by its name; nil if there is none. The views that an `OpenViewModel` has beyond its
    /// stored ones are not found.
    public subscript(name: String) -> Observable<JSON>? {
        if let tree = common?[name] ?? trees[name] { return tree }
        guard let view = features.namedView(name) else { return nil }
        let tree = view.tree()
        trees[name] = tree
        return tree
    }
}
