import JSON
import Reactive

extension OperatorForm {
    /// Operators that pass some of the values.
    static let selecting = [
        OperatorForm("filter", .expression()) { expression in
            { source, context, _ in source.filter { try expression.holds(for: $0, in: context) } }
        } stage: { expression in
            { context, _, _ in
                FunctionStage { if try expression.holds(for: $0, in: context) { $1.emit($0) } }
            }
        },
        OperatorForm("removeDuplicates", isStateless: true) { source, context, pointer in
            context.keepingLatest(of: source, at: pointer).removeDuplicates()
        } stage: { _, _, slot in
            StateStage(slot, []) { previous, value, output in
                guard previous.element != value else { return }
                previous = .optional(value)
                output.emit(value)
            }
        },
        OperatorForm("removeDuplicates", .expression("by", seeing: "previous")) { expression in
            { source, context, pointer in
                context.keepingLatest(of: source, at: pointer)
                    .removeDuplicates { try expression.holds(for: $1, $0, in: context) }
            }
        } stage: { expression in
            { context, _, slot in
                StateStage(slot, []) { previous, value, output in
                    if let last = previous.element, try expression.holds(for: value, last, in: context) { return }
                    previous = .optional(value)
                    output.emit(value)
                }
            }
        },
        OperatorForm("dropFirst", .count(in: 0...StreamLimits.count)) { count in
            { source, _, _ in source.dropFirst(count) }
        } stage: { count in
            { _, _, slot in .dropping(count, slot) }
        },
        OperatorForm("drop", .expression("while")) { expression in
            { source, context, _ in source.drop { try expression.holds(for: $0, in: context) } }
        } stage: { expression in
            { context, _, slot in
                StateStage(slot, true) { isDropping, value, output in
                    if isDropping == true { isDropping = .bool(try expression.holds(for: value, in: context)) }
                    if isDropping == false { output.emit(value) }
                }
            }
        },
        OperatorForm("prefix", .count(in: 0...StreamLimits.count)) { count in
            { source, _, _ in source.prefix(count) }
        } stage: { count in
            { _, _, slot in .taking(count, slot) }
        },
        OperatorForm("prefix", .expression("while")) { expression in
            { source, context, _ in source.prefix { try expression.holds(for: $0, in: context) } }
        } stage: { expression in
            { context, _, _ in
                FunctionStage { value, output in
                    if try expression.holds(for: value, in: context) {
                        output.emit(value)
                    } else {
                        output.finish(.completed)
                    }
                }
            }
        },
        OperatorForm("prefix", .source("until")) { other in
            { source, context, _ in source.prefix(until: other.observable(in: context)) }
        } stage: { _ in
            { _, _, _ in PrefixUntilStage() }
        },
        OperatorForm("skip", .source("until")) { other in
            { source, context, _ in source.skip(until: other.observable(in: context)) }
        } stage: { _ in
            { _, _, slot in SkipUntilStage(slot) }
        },
        OperatorForm("first") { source, _, _ in
            source.first()
        } stage: { _, _, slot in
            .taking(1, slot)
        },
        OperatorForm("last") { source, context, pointer in
            context.keepingLatest(of: source, at: pointer).last()
        } stage: { _, _, slot in
            StateStage(slot, []) { last, value, _ in
                last = .optional(value)
            } end: { last, end, output in
                if case .completed = end, let value = last.element { output.emit(value) }
                output.finish(end)
            }
        },
        OperatorForm("element", .count("at", in: 0...StreamLimits.count)) { index in
            { source, _, _ in source.element(at: index) }
        } stage: { index in
            { _, _, slot in
                StateStage(slot, .number(Decimal(index))) { left, value, output in
                    guard left.whole == 0 else { return left = .number(Decimal(left.whole - 1)) }
                    output.emit(value)
                    output.finish(.completed)
                }
            }
        },
        OperatorForm("ignoreOutput", isStateless: true) { source, _, _ in
            source.ignoreOutput()
        } stage: { _, _, _ in
            FunctionStage { _, _ in }
        },
    ]
}

extension PipelineStage {
    /// Drops the first `count` values.
    fileprivate static func dropping(_ count: Int, _ slot: MemorySlot) -> PipelineStage {
        StateStage(slot, .number(Decimal(count))) { left, value, output in
            if left.whole > 0 { left = .number(Decimal(left.whole - 1)) } else { output.emit(value) }
        }
    }

    /// Passes the first `count` values.
    fileprivate static func taking(_ count: Int, _ slot: MemorySlot) -> PipelineStage {
        guard count > 0 else { return EmptyStage() }
        return StateStage(slot, .number(Decimal(count))) { left, value, output in
            left = .number(Decimal(left.whole - 1))
            output.emit(value)
            if left.whole == 0 { output.finish(.completed) }
        }
    }
}
