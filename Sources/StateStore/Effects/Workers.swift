import Reactive

/// The effects of some features in one place, at work. Each goes for itself: one that fails is begun anew after a while, longer each time.
final class Workers {
    private var workers: [Worker] = []

    init(_ features: [FeatureInstance], in space: SpaceName, of store: Store, in graph: Graph) {
        for feature in features where feature.hasEffects {
            for (name, effect) in feature.effects(Outside(of: feature.name, in: space, of: store)) {
                workers.append(Worker(effect, called: "\(name) in the space \(space)", of: store, in: graph))
            }
        }
        for worker in workers { worker.begin() }
    }

    deinit {
        for worker in workers { worker.stop() }
    }

    private final class Worker {
        /// How long one that failed waits, each time longer, the last without end.
        private static let patience: [Duration] = [.seconds(1), .seconds(2), .seconds(5), .seconds(15), .seconds(60)]

        private let effect: Effect
        private let name: String
        private let graph: Graph
        private let door: Door
        private var subscription: Subscription?
        private var alarm: Alarm?
        private var failures = 0

        init(_ effect: Effect, called name: String, of store: Store, in graph: Graph) {
            self.effect = effect
            self.name = name
            self.graph = graph
            door = store.door
        }

        func begin() {
            subscription = effect.begin(graph) { [unowned self] end in
                if case .failed(let error) = end { fail(error) }
            }
        }

        func stop() {
            alarm?.cancel()
            subscription?.cancel()
            subscription = nil
        }

        private func fail(_ error: any Error) {
            guard let store = door.store else { return }
            let delay = Self.patience[min(failures, Self.patience.count - 1)]
            failures += 1
            store.warn("the effect \(name) failed, and is begun anew in \(delay): \(error)")
            let alarm = Alarm(at: store.home.scheduler.now + delay) { [unowned self] _ in begin() }
            self.alarm = alarm
            store.home.scheduler.set(alarm)
        }
    }
}
