import JSON
import Reactive

extension OperatorForm {
    /// Operators that replace each value.
    static let transforming = [
        OperatorForm("map", isStateless: true, .expression()) { expression in
            { source, context, _ in source.map { try expression($0, in: context) } }
        } stage: { expression in
            { context, _, _ in FunctionStage { $1.emit(try expression($0, in: context)) } }
        },
        OperatorForm("compactMap", .expression()) { expression in
            { source, context, _ in
                source.compactMap {
                    let result = try expression($0, in: context)
                    return if case .null = result { nil } else { result }
                }
            }
        } stage: { expression in
            { context, _, _ in
                FunctionStage { value, output in
                    let result = try expression(value, in: context)
                    if case .null = result {} else { output.emit(result) }
                }
            }
        },
        OperatorForm("scan", .value("initialValue"), .expression(seeing: "accumulated")) { initial, expression in
            { source, context, pointer in
                let held = HeldValue(context, at: pointer)
                return source.scan(initial) { accumulated, value in
                    let result = try expression(value, accumulated, in: context)
                    try held.replace(with: result)
                    return result
                }
            }
        } stage: { initial, expression in
            { context, _, slot in
                StateStage(slot, initial, deliversState: true) { accumulated, value, output in
                    accumulated = try expression(value, accumulated, in: context)
                    output.emit(accumulated)
                }
            }
        },
        OperatorForm("flatMap", .source(seesOuter: true)) { inner in
            { source, context, pointer in source.flatMap { try context.run(inner, for: $0, at: pointer) } }
        },
        OperatorForm("concatMap", .source(seesOuter: true)) { inner in
            { source, context, pointer in
                context.holding(source, at: pointer) { source, waiting in
                    source.concatMap { value in
                        waiting.remove(1)
                        return try context.run(inner, for: value, at: pointer)
                    }
                }
            }
        },
        OperatorForm("switchToLatest", .source(seesOuter: true)) { inner in
            { source, context, pointer in source.flatMapLatest { try context.run(inner, for: $0, at: pointer) } }
        },
    ]
}
