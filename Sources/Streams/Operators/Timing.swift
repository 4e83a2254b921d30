import JSON
import Reactive

extension OperatorForm {
    /// Operators that depend on time.
    static let timing = [
        OperatorForm("delay", .seconds()) { duration in
            { source, context, pointer in
                context.holding(source, at: pointer) { source, waiting in
                    source.delay(duration, on: context.scheduler).map { value in
                        waiting.remove(1)
                        return value
                    }
                }
            }
        },
        OperatorForm("debounce", .seconds()) { duration in
            { source, context, pointer in
                context.keepingLatest(of: source, at: pointer).debounce(duration, on: context.scheduler)
            }
        },
        OperatorForm("throttle", .seconds(), .flag("latest")) { duration, latest in
            { source, context, pointer in
                context.keepingLatest(of: source, at: pointer).throttle(duration, on: context.scheduler, latest: latest)
            }
        },
        OperatorForm("timeout", .seconds()) { duration in
            { source, context, pointer in
                source.timeout(duration, on: context.scheduler).catch { error in
                    guard let error = error as? TimeoutError else { throw error }
                    throw context.failure("nothing came for \(error.duration.seconds) seconds", at: pointer)
                }
            }
        },
        OperatorForm("measureInterval") { source, context, _ in
            source.measureInterval(by: context.scheduler).map { .number($0.seconds) }
        },
    ]
}
