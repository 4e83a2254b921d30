import JSON
import Reactive

extension OperatorForm {
    /// Operators that depend on time.
    static let timing = [
        OperatorForm("delay", .seconds()) { duration in
            .machine { $0.host(Delay($0.span(of: duration)), .delayed) }
        },
        OperatorForm("debounce", .seconds()) { duration in
            .machine { $0.host(Debounce($0.span(of: duration)), .debounced) }
        },
        OperatorForm("throttle", .seconds(), .flag("latest")) { duration, latest in
            .machine { $0.host(Throttle($0.span(of: duration), latest: latest), .throttled) }
        },
        OperatorForm("timeout", .seconds()) { duration in
            .machine { place in
                let timeout = Timeout<JSON>(place.span(of: duration)) { _ in
                    place.context.failure("nothing came for \(duration.seconds) seconds", at: place.pointer)
                }
                return place.host(timeout, .deadline)
            }
        },
        OperatorForm(
            "measureInterval", .machine { $0.host(MeasureInterval(), .instant) { .number($0.seconds) } }),
    ]
}
