import JSON
import Reactive

extension OperatorForm {
    /// Operators that replace each value.
    static let transforming = [
        OperatorForm("map", isStateless: true, .expression()) { expression in
            .machine { place in
                place.host(ValueStep { $1.emit(try expression($0, in: place.context)) }, .nothing)
            }
        },
        OperatorForm("compactMap", .expression()) { expression in
            .machine { place in
                place.host(
                    ValueStep { value, output in
                        let result = try expression(value, in: place.context)
                        if case .null = result {} else { output.emit(result) }
                    }, .nothing)
            }
        },
        OperatorForm("scan", .value("initialValue"), .expression(seeing: "accumulated")) { initial, expression in
            .machine { place in
                place.host(
                    ValueStep.scan(initial) { try expression($1, $0, in: place.context) },
                    .accumulated(isDelivered: true))
            }
        },
        OperatorForm("flatMap", .source(seesOuter: true)) { inner in
            .run { source, place in
                source.flatMap { try place.context.run(inner, for: $0, at: place.pointer) }
            }
        },
        OperatorForm("concatMap", .source(seesOuter: true)) { inner in
            .run { source, place in
                place.context.holding(source, at: place.pointer) { source, waiting in
                    source.concatMap { value in
                        waiting.remove(1)
                        return try place.context.run(inner, for: value, at: place.pointer)
                    }
                }
            }
        },
        OperatorForm("switchToLatest", .source(seesOuter: true)) { inner in
            .run { source, place in
                source.flatMapLatest { try place.context.run(inner, for: $0, at: place.pointer) }
            }
        },
    ]
}
