import Reactive

/// The continuation of effects after a restart, by loading the spaces with work.
extension Store {
    /// The number of spaces with work that are loaded at the same time after the start.
    private static let loadsAtOnce = 64
    /// The delay before a space, or a list of spaces, that could not be read is read again.
    static let retryDelay = Duration.seconds(10)

    /// Loads spaces with work, `loadsAtOnce` at a time.
    func resumeWork(in names: ArraySlice<SpaceName>) {
        for index in 0..<min(Self.loadsAtOnce, names.count) {
            resumeWork(in: names, from: names.startIndex + index)
        }
    }

    private func resumeWork(in names: ArraySlice<SpaceName>, from index: Int) {
        guard index < names.endIndex else { return }
        space(names[index]).whenHere { [unowned self] failure in
            guard let failure else { return resumeWork(in: names, from: index + Self.loadsAtOnce) }
            context.warn(
                "the space \(names[index]) has work to be done and cannot be read; trying again in \(Self.retryDelay): \(failure)"
            )
            let scheduler = context.executor.scheduler
            scheduler.set(
                Alarm(at: scheduler.now + Self.retryDelay) { [reference] _ in
                    reference.store?.resumeWork(in: names, from: index)
                })
        }
    }

    /// Loads a space whose alarm is due, so that it makes its commit by time. Calls `done` when that commit is durable, or
    /// when the space could not be loaded.
    func wake(_ name: SpaceName, _ done: @escaping () -> Void) {
        use(name) { space in
            space.whenHere { [unowned self] failure in
                if let failure {
                    context.warn("the space \(name) has an alarm and cannot be read: \(failure)")
                    return done()
                }
                context.dueSpaces.add(space) { space.whenDurable { _ in done() } }
            }
        }
    }
}
