import JSON
import Reactive

extension OperatorForm {
    /// Operators that have to do with time.
    static let timing = [
        OperatorForm("delay", .seconds()) { duration in
            { source, stage, pointer in
                stage.holding(source, at: pointer) { source, waiting in
                    source.delay(duration, on: stage.scheduler).map { value in
                        waiting.remove(1)
                        return value
                    }
                }
            }
        },
        OperatorForm("debounce", .seconds()) { duration in { source, stage, _ in source.debounce(duration, on: stage.scheduler) } },
        OperatorForm("throttle", .seconds(), .flag("latest")) { duration, latest in
            { source, stage, _ in source.throttle(duration, on: stage.scheduler, latest: latest) }
        },
        OperatorForm("timeout", .seconds()) { duration in
            { source, stage, pointer in
                source.timeout(duration, on: stage.scheduler).catch { error in
                    guard let error = error as? TimeoutError else { throw error }
                    throw StreamFailure("nothing came for \(error.duration.seconds) seconds", value: nil, at: pointer, in: stage)
                }
            }
        },
        OperatorForm("measureInterval") { source, stage, _ in
            source.measureInterval(by: stage.scheduler).map { .number($0.seconds) }
        },
    ]
}
