import JSON
import Reactive

/// What a store holds of `common`: its state as far as it is kept, from which the store's spaces derive. Nobody writes it but the commits of
/// `common` that arrive.
final class Replica: Place {
    unowned let store: Store
    let graph: Graph
    let features: [FeatureInstance]
    /// The states, to be given to features of the spaces.
    let states: Feature.States
    private(set) var version = 0
    private var cells: [String: Cell] = [:]

    init(of registry: Registry, in store: Store, graph: Graph) {
        self.store = store
        self.graph = graph
        var states = Feature.States()
        features = registry.instances(in: .common, with: &states)
        self.states = states
    }

    var moment: Moment { Moment(version: version, common: version) }
    var isShown: Bool { true }

    func keepBack(_ frame: Frame, of cell: Cell) {
        cell.show(frame)
    }

    func noteDirty(_ watch: Watch) {
        store.noteDirty(watch)
    }

    /// Takes what a commit of `common` said, or all that is kept of it.
    func take(_ facts: [Fact], version: Int) throws(JSONError) {
        guard version > self.version else { return }
        self.version = version
        try graph.commit { transaction throws(JSONError) in
            for fact in facts {
                for feature in self.features {
                    for (name, stored) in feature.variables where name == fact.variable { try stored.take(fact, in: &transaction) }
                }
            }
        }
    }

    func cell(_ name: String) -> Cell? {
        if let cell = cells[name] { return cell }
        guard let dot = name.firstIndex(of: "."), let feature = features.first(where: { $0.name == name[..<dot] }),
            let view = feature.views[String(name[name.index(after: dot)...])]
        else { return nil }
        let cell = Cell(name: name, view: view, in: self)
        cells[name] = cell
        return cell
    }
}

extension Registry {
    /// The features of a home, made new. They were made once when they were registered, so nothing is wrong with them.
    func instances(in home: Feature.Home, with states: inout Feature.States) -> [FeatureInstance] {
        features.compactMap { feature in
            guard feature.home == home, let parts = try? feature.make(&states) else { return nil }
            return FeatureInstance(feature, parts)
        }
    }
}
