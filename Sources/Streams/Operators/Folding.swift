import JSON
import Reactive

extension OperatorForm {
    /// Operators that make one value of several.
    static let folding = [
        OperatorForm("reduce", .value("initialValue"), .expression(seeing: "accumulated")) { initial, expression in
            { source, context, pointer in
                let held = HeldValue(context, at: pointer)
                return source.reduce(initial) { accumulated, value in
                    let result = try expression(value, accumulated, in: context)
                    try held.replace(with: result)
                    return result
                }
            }
        } stage: { initial, expression in
            { context, _, slot in
                .result(slot, initial) { try expression($1, $0, in: context) }
            }
        },
        OperatorForm("count") { source, _, _ in
            source.count().map { .number(Decimal($0)) }
        } stage: { _, _, slot in
            .result(slot, 0) { count, _ in .number(Decimal(count.whole + 1)) }
        },
        OperatorForm("min") { source, context, pointer in
            let held = HeldValue(context, at: pointer)
            return source.min { value, least in
                try held.raise(to: value)
                return try context.reporting(pointer, of: value) { try JSONOrder.isBefore(value, least) }
            }
        } stage: { context, pointer, slot in
            .extreme(slot) { value, least in
                try context.reporting(pointer, of: value) { try JSONOrder.isBefore(value, least) }
            }
        },
        OperatorForm("max") { source, context, pointer in
            let held = HeldValue(context, at: pointer)
            // `max` asks if the greatest value so far precedes the new one.
            return source.max { greatest, value in
                try held.raise(to: value)
                return try context.reporting(pointer, of: value) { try JSONOrder.isBefore(greatest, value) }
            }
        } stage: { context, pointer, slot in
            .extreme(slot) { value, greatest in
                try context.reporting(pointer, of: value) { try JSONOrder.isBefore(greatest, value) }
            }
        },
        OperatorForm("allSatisfy", .expression()) { expression in
            { source, context, _ in source.allSatisfy { try expression.holds(for: $0, in: context) }.map { .bool($0) } }
        } stage: { expression in
            { context, _, _ in
                .satisfying {
                    try expression.holds(for: $0, in: context)
                } result: {
                    .bool($0)
                }
            }
        },
        OperatorForm("contains", .value("value")) { wanted in
            { source, _, _ in source.contains(wanted).map { .bool($0) } }
        } stage: { wanted in
            { _, _, _ in
                .satisfying {
                    $0 != wanted
                } result: {
                    .bool(!$0)
                }
            }
        },
        OperatorForm("collect") { source, context, pointer in
            context.holding(source, at: pointer) { source, _ in
                source.collect().map { try context.made(of: $0, at: pointer) }
            }
        } stage: { context, pointer, slot in
            CollectStage(WaitingEntries(slot, context, at: pointer)) { try context.made(of: $0, at: pointer) }
        },
        OperatorForm("collect", .count(in: 1...StreamLimits.collected)) { count in
            { source, context, pointer in
                context.holding(source, at: pointer) { source, waiting in
                    source.collect(count).map { values in
                        waiting.remove(values.count)
                        return try context.made(of: values, at: pointer)
                    }
                }
            }
        } stage: { count in
            { context, pointer, slot in
                CollectStage(WaitingEntries(slot, context, at: pointer), count: count) {
                    try context.made(of: $0, at: pointer)
                }
            }
        },
        OperatorForm("collect", .seconds(atLeastMilliseconds: StreamLimits.periodMilliseconds)) { period in
            { source, context, pointer in
                context.holding(source, at: pointer) { source, waiting in
                    source.collect(every: period, on: context.scheduler).map { values in
                        waiting.remove(values.count)
                        return try context.made(of: values, at: pointer)
                    }
                }
            }
        } stage: { period in
            { context, pointer, slot in
                PeriodStage(slot, WaitingEntries(slot, context, at: pointer), period) {
                    try context.made(of: $0, at: pointer)
                }
            }
        },
    ]
}

extension PipelineStage {
    /// Accumulates the values, and delivers the result at the end.
    fileprivate static func result(
        _ slot: MemorySlot, _ initial: JSON, _ accumulate: @escaping (_ accumulated: JSON, _ value: JSON) throws -> JSON
    ) -> PipelineStage {
        StateStage(slot, initial) { accumulated, value, _ in
            accumulated = try accumulate(accumulated, value)
        } end: { result, end, output in
            if case .completed = end { output.emit(result) }
            output.finish(end)
        }
    }

    /// Keeps the first value that no later one replaces, and delivers it at the end.
    fileprivate static func extreme(
        _ slot: MemorySlot, _ replaces: @escaping (_ value: JSON, _ kept: JSON) throws -> Bool
    ) -> PipelineStage {
        StateStage(slot, []) { kept, value, _ in
            if let extreme = kept.element, try !replaces(value, extreme) { return }
            kept = .optional(value)
        } end: { kept, end, output in
            if case .completed = end, let value = kept.element { output.emit(value) }
            output.finish(end)
        }
    }

    /// Delivers the result for false at the first value that does not satisfy a condition, or for true at the end.
    fileprivate static func satisfying(
        _ isSatisfied: @escaping (JSON) throws -> Bool, result: @escaping (Bool) -> JSON
    ) -> PipelineStage {
        FunctionStage { value, output in
            guard try !isSatisfied(value) else { return }
            output.emit(result(false))
            output.finish(.completed)
        } end: { end, output in
            if case .completed = end { output.emit(result(true)) }
            output.finish(end)
        }
    }
}
