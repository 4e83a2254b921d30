import JSON
import Reactive

extension OperatorForm {
    /// Operators that add other values, or other sources.
    static let joining = [
        OperatorForm("prepend", .values()) { values in
            { source, stage, _ in append([stage.values(values), source]) }
        },
        OperatorForm("append", .values()) { values in
            { source, stage, _ in append([source, stage.values(values)]) }
        },
        OperatorForm("withLatestFrom", .source()) { other in
            { source, stage, pointer in
                source.withLatestFrom(other.observable(in: stage)).map { try stage.made(of: [$0, $1], at: pointer) }
            }
        },
        OperatorForm("sample", .source()) { other in { source, stage, _ in source.sample(other.observable(in: stage)) } },
        OperatorForm("share") { source, stage, pointer in stage.sharing(source, at: pointer) },
    ]
}
