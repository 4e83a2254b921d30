import JSON
import Reactive

extension OperatorForm {
    /// Operators for failures and empty sources.
    static let recovering = [
        OperatorForm("retry", .count(in: 0...StreamLimits.attempts)) { count in { source, _, _ in source.retry(count) }
        },
        OperatorForm("catch", .source()) { other in
            { source, context, _ in source.catch { _ in other.observable(in: context) } }
        },
        OperatorForm("replaceError", .value("with")) { value in { source, _, _ in source.replaceError(with: value) } },
        OperatorForm("replaceEmpty", .value("with")) { value in { source, _, _ in source.replaceEmpty(with: value) } },
    ]
}
