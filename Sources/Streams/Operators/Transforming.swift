import JSON
import Reactive

extension OperatorForm {
    /// Operators that make something else of each value.
    static let transforming = [
        OperatorForm("map", .expression()) { rule in { source, stage, _ in source.map { try rule($0, in: stage) } } },
        OperatorForm("compactMap", .expression()) { rule in
            { source, stage, _ in
                source.compactMap {
                    let result = try rule($0, in: stage)
                    return if case .null = result { nil } else { result }
                }
            }
        },
        OperatorForm("scan", .value("initialValue"), .expression(seeing: "accumulated")) { initial, rule in
            { source, stage, _ in source.scan(initial) { try rule($1, $0, in: stage) } }
        },
        OperatorForm("flatMap", .source(seesOuter: true)) { inner in
            { source, stage, pointer in source.flatMap { try stage.run(inner, for: $0, at: pointer) } }
        },
        OperatorForm("concatMap", .source(seesOuter: true)) { inner in
            { source, stage, pointer in
                stage.holding(source, at: pointer) { source, waiting in
                    source.concatMap { value in
                        waiting.remove(1)
                        return try stage.run(inner, for: value, at: pointer)
                    }
                }
            }
        },
        OperatorForm("switchToLatest", .source(seesOuter: true)) { inner in
            { source, stage, pointer in source.flatMapLatest { try stage.run(inner, for: $0, at: pointer) } }
        },
    ]
}
