import JSON
import Reactive

extension OperatorForm {
    /// Operators that make one of several values.
    static let folding = [
        OperatorForm("reduce", .value("initialValue"), .expression(seeing: "accumulated")) { initial, rule in
            { source, stage, _ in source.reduce(initial) { try rule($1, $0, in: stage) } }
        },
        OperatorForm("count") { source, _, _ in source.count().map { .number(Decimal($0)) } },
        OperatorForm("min") { source, stage, pointer in
            source.min { one, other in try stage.reporting(pointer, of: one) { try Order.isBefore(one, other) } }
        },
        OperatorForm("max") { source, stage, pointer in
            // The core asks whether the greatest so far is before the value.
            source.max { one, other in try stage.reporting(pointer, of: other) { try Order.isBefore(one, other) } }
        },
        OperatorForm("allSatisfy", .expression()) { rule in
            { source, stage, _ in source.allSatisfy { try rule.holds(for: $0, in: stage) }.map { .bool($0) } }
        },
        OperatorForm("contains", .value("value")) { wanted in { source, _, _ in source.contains(wanted).map { .bool($0) } } },
        OperatorForm("collect") { source, stage, pointer in
            stage.holding(source, at: pointer) { source, _ in source.collect().map { try stage.made(of: $0, at: pointer) } }
        },
        OperatorForm("collect", .count(in: 1...Limits.collected)) { count in
            { source, stage, pointer in
                stage.holding(source, at: pointer) { source, waiting in
                    source.collect(count).map { values in
                        waiting.remove(values.count)
                        return try stage.made(of: values, at: pointer)
                    }
                }
            }
        },
        OperatorForm("collect", .seconds(atLeastMilliseconds: Limits.periodMilliseconds)) { period in
            { source, stage, pointer in
                stage.holding(source, at: pointer) { source, waiting in
                    source.collect(every: period, on: stage.scheduler).map { values in
                        waiting.remove(values.count)
                        return try stage.made(of: values, at: pointer)
                    }
                }
            }
        },
    ]
}
