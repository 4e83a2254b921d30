import Reactive

/// The running effects of one space. The effects are independent. An effect that fails is restarted after an increasing
/// delay.
final class EffectRunner {
    private var effects: [RunningEffect] = []

    init(_ features: FeatureSet, in space: SpaceName, of host: any EffectHost) {
        for feature in features.withEffects {
            for (name, effect) in feature.effects(Outside(of: feature.name, in: space, of: host)) {
                effects.append(RunningEffect(effect, called: "\(name) in the space \(space)", of: host))
            }
        }
        for effect in effects { effect.start() }
    }

    deinit {
        for effect in effects { effect.stop() }
    }
}

/// One effect, its subscription and its failures.
private final class RunningEffect {
    private let effect: Effect
    private let name: String
    private let host: any EffectHost
    private var subscription: Subscription?
    private var alarm: Alarm?
    private var failures = 0

    init(_ effect: Effect, called name: String, of host: any EffectHost) {
        self.effect = effect
        self.name = name
        self.host = host
    }

    func start() {
        subscription = effect.begin(host.graph) { [unowned self] end in
            if case .failed(let error) = end { retry(after: error) }
        }
    }

    func stop() {
        alarm?.cancel()
        subscription?.cancel()
        subscription = nil
    }

    private func retry(after error: any Error) {
        guard host.isOpen else { return }
        let delay = RetryDelays.forEffects[failures]
        failures += 1
        host.warn("the effect \(name) failed, and is begun anew in \(delay): \(error)")
        let scheduler = host.executor.scheduler
        let alarm = Alarm(at: scheduler.now + delay) { [unowned self] _ in start() }
        self.alarm = alarm
        scheduler.set(alarm)
    }
}
