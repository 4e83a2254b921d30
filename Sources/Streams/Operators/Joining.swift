import JSON
import Reactive

extension OperatorForm {
    /// Operators that add values or sources.
    static let joining = [
        OperatorForm("prepend", .values()) { values in
            { source, context, _ in append([context.values(values), source]) }
        },
        OperatorForm("append", .values()) { values in
            { source, context, _ in append([source, context.values(values)]) }
        },
        OperatorForm("withLatestFrom", .source()) { other in
            { source, context, pointer in
                let latest = context.keepingLatest(of: other.observable(in: context), at: pointer)
                return source.withLatestFrom(latest).map { try context.made(of: [$0, $1], at: pointer) }
            }
        },
        OperatorForm("sample", .source()) { other in
            { source, context, pointer in
                context.keepingLatest(of: source, at: pointer).sample(other.observable(in: context))
            }
        },
        OperatorForm("share") { source, context, pointer in context.sharing(source, at: pointer) },
    ]
}
