import JSON
import Reactive

extension OperatorForm {
    /// Operators that pass some of the values.
    static let selecting = [
        OperatorForm("filter", .expression()) { expression in
            .machine { place in
                place.host(ValueStep.filter { try expression.holds(for: $0, in: place.context) }, .nothing)
            }
        },
        OperatorForm(
            "removeDuplicates", isStateless: true, .machine { $0.host(ValueStep.removeDuplicates(by: ==), .optional) }),
        OperatorForm("removeDuplicates", .expression("by", seeing: "previous")) { expression in
            .machine { place in
                place.host(
                    ValueStep.removeDuplicates { try expression.holds(for: $1, $0, in: place.context) }, .optional)
            }
        },
        OperatorForm("dropFirst", .count(in: 0...StreamLimits.count)) { count in
            .machine { $0.host(ValueStep.dropFirst(count), .count) }
        },
        OperatorForm("drop", .expression("while")) { expression in
            .machine { place in
                place.host(ValueStep.drop { try expression.holds(for: $0, in: place.context) }, .flag)
            }
        },
        OperatorForm("prefix", .count(in: 0...StreamLimits.count)) { count in
            .machine { $0.host(ValueStep.prefix(count), .count) }
        },
        OperatorForm("prefix", .expression("while")) { expression in
            .machine { place in
                place.host(ValueStep.prefix { try expression.holds(for: $0, in: place.context) }, .flag)
            }
        },
        OperatorForm("prefix", .source("until")) { _ in
            .machine { $0.host(besides: PrefixUntil<JSON, JSON>(), .nothing) { $0 } }
        },
        OperatorForm("skip", .source("until")) { _ in
            .machine { $0.host(besides: SkipUntil<JSON, JSON>(), .opening) { $0 } }
        },
        OperatorForm("first", .machine { $0.host(ValueStep.prefix(1), .count) }),
        OperatorForm("last", .machine { $0.host(ValueStep.last, .optional) }),
        OperatorForm("element", .count("at", in: 0...StreamLimits.count)) { index in
            .machine { $0.host(ValueStep.element(at: index), .count) }
        },
        OperatorForm("ignoreOutput", isStateless: true, .machine { $0.host(ValueStep.ignoreOutput, .nothing) }),
    ]
}
