import JSON
import Reactive

extension OperatorForm {
    /// Operators that add values or sources.
    static let joining = [
        OperatorForm("prepend", .values()) { values in
            { source, context, _ in append([context.values(values), source]) }
        } stage: { values in
            { _, _, _ in PrependStage(values) }
        },
        OperatorForm("append", .values()) { values in
            { source, context, _ in append([source, context.values(values)]) }
        } stage: { values in
            { _, _, _ in
                FunctionStage {
                    $1.emit($0)
                } end: { end, output in
                    if case .completed = end { for value in values { output.emit(value) } }
                    output.finish(end)
                }
            }
        },
        OperatorForm("withLatestFrom", .source()) { other in
            { source, context, pointer in
                let latest = context.keepingLatest(of: other.observable(in: context), at: pointer)
                return source.withLatestFrom(latest).map { try context.made(of: [$0, $1], at: pointer) }
            }
        } stage: { _ in
            { context, pointer, slot in LatestFromStage(slot) { try context.made(of: $0, at: pointer) } }
        },
        OperatorForm("sample", .source()) { other in
            { source, context, pointer in
                context.keepingLatest(of: source, at: pointer).sample(other.observable(in: context))
            }
        } stage: { _ in
            { _, _, slot in SampleStage(slot) }
        },
        OperatorForm("share") { source, context, pointer in context.sharing(source, at: pointer) },
    ]
}
