import JSON
import Reactive

extension OperatorForm {
    /// Operators that add values or sources.
    static let joining = [
        OperatorForm("prepend", .values()) { values in
            .machine { place in
                place.host(
                    ValueStep {
                        try place.add(values, to: &$0)
                    } _: {
                        $1.emit($0)
                    }, .nothing)
            }
        },
        OperatorForm("append", .values()) { values in
            .machine { place in
                place.host(
                    ValueStep {
                        $1.emit($0)
                    } end: { end, output in
                        if case .completed = end { try place.add(values, to: &output) }
                        output.finish(end)
                    }, .nothing)
            }
        },
        OperatorForm("withLatestFrom", .source()) { _ in
            .machine { place in
                place.host(besides: WithLatestFrom<JSON, JSON>(), .latest) { try place.array([$0.0, $0.1]) }
            }
        },
        OperatorForm("sample", .source()) { _ in
            .machine { place in place.host(besides: Sample<JSON, JSON>(), .latest) { $0 } }
        },
        OperatorForm("share", .run { source, place in place.context.sharing(source, at: place.pointer) }),
    ]
}

extension OperatorPlace {
    fileprivate func add(_ values: [JSON], to output: inout Emission<JSON>) throws {
        for value in values {
            try spend()
            output.emit(value)
        }
    }
}
