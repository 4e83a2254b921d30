import JSON
import Reactive

extension OperatorForm {
    /// Operators for failures and empty sources.
    static let recovering = [
        OperatorForm("retry", .count(in: 0...StreamLimits.attempts)) { count in
            .run { source, _ in source.retry(count) }
        },
        OperatorForm("catch", .source()) { other in
            .run { source, place in source.catch { _ in other.observable(in: place.context) } }
        },
        OperatorForm("replaceError", .value("with")) { value in
            .machine { $0.host(ValueStep.replaceError(with: value), .nothing) }
        },
        OperatorForm("replaceEmpty", .value("with")) { value in
            .machine { $0.host(ValueStep.replaceEmpty(with: value), .flag) }
        },
    ]
}
