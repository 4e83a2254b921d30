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
        },
        OperatorForm("count") { source, _, _ in source.count().map { .number(Decimal($0)) } },
        OperatorForm("min") { source, context, pointer in
            let held = HeldValue(context, at: pointer)
            return source.min { value, least in
                try held.raise(to: value)
                return try context.reporting(pointer, of: value) { try JSONOrder.isBefore(value, least) }
            }
        },
        OperatorForm("max") { source, context, pointer in
            let held = HeldValue(context, at: pointer)
            // `max` asks if the greatest value so far precedes the new one.
            return source.max { greatest, value in
                try held.raise(to: value)
                return try context.reporting(pointer, of: value) { try JSONOrder.isBefore(greatest, value) }
            }
        },
        OperatorForm("allSatisfy", .expression()) { expression in
            { source, context, _ in source.allSatisfy { try expression.holds(for: $0, in: context) }.map { .bool($0) } }
        },
        OperatorForm("contains", .value("value")) { wanted in
            { source, _, _ in source.contains(wanted).map { .bool($0) } }
        },
        OperatorForm("collect") { source, context, pointer in
            context.holding(source, at: pointer) { source, _ in
                source.collect().map { try context.made(of: $0, at: pointer) }
            }
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
        },
    ]
}
