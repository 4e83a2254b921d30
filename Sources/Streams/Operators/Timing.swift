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
        } stage: { duration in
            { context, pointer, slot in DelayStage(WaitingEntries(slot, context, at: pointer), duration) }
        },
        OperatorForm("debounce", .seconds()) { duration in
            { source, context, pointer in
                context.keepingLatest(of: source, at: pointer).debounce(duration, on: context.scheduler)
            }
        } stage: { duration in
            { _, _, slot in DebounceStage(slot, duration) }
        },
        OperatorForm("throttle", .seconds(), .flag("latest")) { duration, latest in
            { source, context, pointer in
                context.keepingLatest(of: source, at: pointer).throttle(duration, on: context.scheduler, latest: latest)
            }
        } stage: { duration, latest in
            { _, _, slot in ThrottleStage(slot, duration, latest: latest) }
        },
        OperatorForm("timeout", .seconds()) { duration in
            { source, context, pointer in
                source.timeout(duration, on: context.scheduler).catch { error in
                    guard let error = error as? TimeoutError else { throw error }
                    throw context.timeout(error.duration, at: pointer)
                }
            }
        } stage: { duration in
            { context, pointer, slot in TimeoutStage(slot, duration) { context.timeout(duration, at: pointer) } }
        },
        OperatorForm("measureInterval") { source, context, _ in
            source.measureInterval(by: context.scheduler).map { .number($0.seconds) }
        } stage: { _, _, slot in
            IntervalStage(slot)
        },
    ]
}

extension CompilationContext {
    fileprivate func timeout(_ duration: Duration, at pointer: JSONPointer) -> StreamFailure {
        failure("nothing came for \(duration.seconds) seconds", at: pointer)
    }
}
