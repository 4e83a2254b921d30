import JSON
import Reactive

extension OperatorForm {
    /// Operators that let some values through.
    static let selecting = [
        OperatorForm("filter", .expression()) { rule in { source, stage, _ in source.filter { try rule.holds(for: $0, in: stage) } } },
        OperatorForm("removeDuplicates") { source, _, _ in source.removeDuplicates() },
        OperatorForm("removeDuplicates", .expression("by", seeing: "previous")) { rule in
            { source, stage, _ in source.removeDuplicates { try rule.holds(for: $1, $0, in: stage) } }
        },
        OperatorForm("dropFirst", .count(in: 0...Limits.count)) { count in { source, _, _ in source.dropFirst(count) } },
        OperatorForm("drop", .expression("while")) { rule in { source, stage, _ in source.drop { try rule.holds(for: $0, in: stage) } } },
        OperatorForm("prefix", .count(in: 0...Limits.count)) { count in { source, _, _ in source.prefix(count) } },
        OperatorForm("prefix", .expression("while")) { rule in { source, stage, _ in source.prefix { try rule.holds(for: $0, in: stage) } }
        },
        OperatorForm("prefix", .source("until")) { other in { source, stage, _ in source.prefix(until: other.observable(in: stage)) } },
        OperatorForm("skip", .source("until")) { other in { source, stage, _ in source.skip(until: other.observable(in: stage)) } },
        OperatorForm("first") { source, _, _ in source.first() },
        OperatorForm("last") { source, _, _ in source.last() },
        OperatorForm("element", .count("at", in: 0...Limits.count)) { index in { source, _, _ in source.element(at: index) } },
        OperatorForm("ignoreOutput") { source, _, _ in source.ignoreOutput() },
    ]
}
