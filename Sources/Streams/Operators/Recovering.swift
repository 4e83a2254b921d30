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
        OperatorForm("replaceError", .value("with")) { value in
            { source, _, _ in source.replaceError(with: value) }
        } stage: { value in
            { _, _, _ in
                FunctionStage {
                    $1.emit($0)
                } end: { end, output in
                    if case .failed = end { output.emit(value) }
                    output.finish(.completed)
                }
            }
        },
        OperatorForm("replaceEmpty", .value("with")) { value in
            { source, _, _ in source.replaceEmpty(with: value) }
        } stage: { value in
            { _, _, slot in
                StateStage(slot, true) { isEmpty, value, output in
                    isEmpty = false
                    output.emit(value)
                } end: { isEmpty, end, output in
                    if case .completed = end, isEmpty == true { output.emit(value) }
                    output.finish(end)
                }
            }
        },
    ]
}
