import JSON
import Reactive

/// What a store holds of `common`: its state as far as it is kept, from which the store's spaces derive. Nobody writes it but the commits of
/// `common` that arrive.
final class Replica: Place {
    // Whoever keeps a replica longer than the store does goes by the store's door before touching it.
    unowned(unsafe) let store: Store
    let graph: Graph
    let features: [FeatureInstance]
    /// The states, to be given to features of the spaces.
    let states: Feature.States
    private(set) var version = 0
    private var cells: [String: Cell] = [:]
    /// What waits until a version is here that did not come in its order.
    private var waiting: [(version: Int, done: () -> Void)] = []
    private var isCatchingUp = false

    init(of registry: Registry, in store: Store, graph: Graph) {
        self.store = store
        self.graph = graph
        var states = Feature.States()
        features = registry.instances(in: .common, with: &states, time: { [home = store.home] in home.scheduler })
        self.states = states
    }

    // MARK: Place

    // What is common's depends on no version of a space.
    var moment: Moment { Moment(version: 0, common: version) }
    var isShown: Bool { true }

    func keepBack(_ held: Held) {
        held.show()
    }

    func noteDirty(_ onlooker: Onlooker) {
        store.noteDirty(onlooker)
    }

    func noteOnlooker(_ change: Int) {}

    func noteBeat() {}

    func noteFailed(_ cell: Cell) {
        store.noteFailed(cell)
    }

    func cell(_ name: String) -> Cell? {
        if let cell = cells[name] { return cell }
        guard let view = features.view(name) else { return nil }
        let cell = Cell(name: name, view: view, in: self)
        cells[name] = cell
        return cell
    }

    // MARK: What arrives

    /// Takes a commit of `common`, and says when it is here with all before it. One that comes too early has those in between read first.
    func take(_ record: CommitRecord, _ done: @escaping () -> Void = {}) throws(JSONError) {
        guard record.version > version else { return done() }
        guard record.version == version + 1, !isCatchingUp else {
            waiting.append((record.version, done))
            return catchUp()
        }
        version = record.version
        try graph.commit { transaction throws(JSONError) in
            for fact in record.facts { try features.take(fact, in: &transaction) }
        }
        done()
    }

    /// Reads what is kept of `common`, because some of its commits may not have come here. If that fails, the next that comes tries again.
    func catchUp() {
        guard !isCatchingUp else { return }
        isCatchingUp = true
        let owned = Owned((door: store.door, replica: self))
        store.keeper.read(
            for: store.home,
            { journal in try? journal.load(.common) },
            then: { kept in
                let (door, replica) = owned.value
                guard door.store != nil else { return }
                replica.isCatchingUp = false
                // What this program cannot read was written by a newer one; it goes on with what it has.
                let isRead = kept.map { (try? replica.become($0)) != nil } ?? false
                let waiting = replica.waiting
                replica.waiting = waiting.filter { $0.version > replica.version }
                for one in waiting where one.version <= replica.version { one.done() }
                if isRead, !replica.waiting.isEmpty { replica.catchUp() }
            })
    }

    /// Becomes what is kept.
    func become(_ kept: KeptSpace) throws(JSONError) {
        guard kept.version > version else { return }
        var states = Feature.States()
        let other = store.registry.instances(in: .common, with: &states)
        try Graph().commit { transaction throws(JSONError) in
            for fact in kept.facts { try other.take(fact, in: &transaction) }
        }
        version = kept.version
        graph.commit { transaction in
            for (one, another) in zip(features, other) { one.become(another, in: &transaction) }
        }
    }
}
