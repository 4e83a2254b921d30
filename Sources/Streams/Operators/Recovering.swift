import JSON
import Reactive

extension OperatorForm {
    /// Operators that deal with failures, and with nothing.
    static let recovering = [
        OperatorForm("retry", .count(in: 0...Limits.attempts)) { count in { source, _, _ in source.retry(count) } },
        OperatorForm("catch", .source()) { other in { source, stage, _ in source.catch { _ in other.observable(in: stage) } } },
        OperatorForm("replaceError", .value("with")) { value in { source, _, _ in source.replaceError(with: value) } },
        OperatorForm("replaceEmpty", .value("with")) { value in { source, _, _ in source.replaceEmpty(with: value) } },
    ]
}
