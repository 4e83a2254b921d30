import JSON
import Reactive

extension OperatorForm {
    /// Operators that pass some of the values.
    static let selecting = [
        OperatorForm("filter", .expression()) { expression in
            { source, context, _ in source.filter { try expression.holds(for: $0, in: context) } }
        },
        OperatorForm("removeDuplicates") { source, context, pointer in
            context.keepingLatest(of: source, at: pointer).removeDuplicates()
        },
        OperatorForm("removeDuplicates", .expression("by", seeing: "previous")) { expression in
            { source, context, pointer in
                context.keepingLatest(of: source, at: pointer)
                    .removeDuplicates { try expression.holds(for: $1, $0, in: context) }
            }
        },
        OperatorForm("dropFirst", .count(in: 0...StreamLimits.count)) { count in
            { source, _, _ in source.dropFirst(count) }
        },
        OperatorForm("drop", .expression("while")) { expression in
            { source, context, _ in source.drop { try expression.holds(for: $0, in: context) } }
        },
        OperatorForm("prefix", .count(in: 0...StreamLimits.count)) { count in { source, _, _ in source.prefix(count) }
        },
        OperatorForm("prefix", .expression("while")) { expression in
            { source, context, _ in source.prefix { try expression.holds(for: $0, in: context) } }
        },
        OperatorForm("prefix", .source("until")) { other in
            { source, context, _ in source.prefix(until: other.observable(in: context)) }
        },
        OperatorForm("skip", .source("until")) { other in
            { source, context, _ in source.skip(until: other.observable(in: context)) }
        },
        OperatorForm("first") { source, _, _ in source.first() },
        OperatorForm("last") { source, context, pointer in context.keepingLatest(of: source, at: pointer).last() },
        OperatorForm("element", .count("at", in: 0...StreamLimits.count)) { index in
            { source, _, _ in source.element(at: index) }
        },
        OperatorForm("ignoreOutput") { source, _, _ in source.ignoreOutput() },
    ]
}
