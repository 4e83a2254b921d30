package import Reactive
package import StateStore

/// A thread of a simulated process. It can be stopped for a while, and it ends with its process.
package final class SimulatedThread: StateStore.Executor, @unchecked Sendable {
    // Sendable because a simulation runs on one thread.
    private let world: SimulatedWorld
    private let alarms: SimulatedScheduler
    private var held: [() -> Void] = []
    /// True while the process is stopped, as by SIGSTOP.
    package private(set) var isPaused = false
    /// True once the process was killed.
    package private(set) var isDead = false

    package init(_ world: SimulatedWorld) {
        self.world = world
        alarms = SimulatedScheduler(world)
        alarms.run = { [unowned self] job in run(job) }
    }

    package var scheduler: any Scheduler { alarms }

    package func post(_ job: @escaping @Sendable () -> Void) {
        world.post { self.run(job) }
    }

    private func run(_ job: @escaping () -> Void) {
        if isDead { return }
        if isPaused { held.append(job) } else { job() }
    }

    package func pause() {
        isPaused = true
    }

    package func resume() {
        isPaused = false
        let jobs = held
        held = []
        for job in jobs { world.post { self.run(job) } }
    }

    package func kill() {
        isDead = true
        held = []
    }
}

/// The alarms of a simulated thread.
private final class SimulatedScheduler: Scheduler {
    private let world: SimulatedWorld
    var run: (@escaping () -> Void) -> Void = { _ in }

    init(_ world: SimulatedWorld) {
        self.world = world
    }

    var now: Instant { world.now }

    func set(_ alarm: Alarm) {
        world.clock.set(
            Alarm(at: alarm.instant) { [weak self] _ in
                guard let self else { return }
                world.post { self.run { if !alarm.isCancelled { alarm.fire() } } }
            })
    }
}

extension SimulatedWorld {
    /// A thread of its own, without a node.
    package func makeExecutor() -> any StateStore.Executor { SimulatedThread(self) }
}
