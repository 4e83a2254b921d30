import JSON
import Reactive

extension OperatorForm {
    /// Operators that make one value of several.
    static let folding = [
        OperatorForm("reduce", .value("initialValue"), .expression(seeing: "accumulated")) { initial, expression in
            .machine { place in
                place.host(
                    ValueStep.reduce(initial) { try expression($1, $0, in: place.context) },
                    .accumulated(isDelivered: false))
            }
        },
        OperatorForm(
            "count",
            .machine { place in
                place.host(
                    ValueStep.reduce(0) { count, _ in .number(Decimal(count.whole + 1)) },
                    .accumulated(isDelivered: false))
            }),
        OperatorForm(
            "min", .machine { place in place.host(ValueStep.extreme { try place.isBefore($0, $1, of: $0) }, .optional) }
        ),
        OperatorForm(
            "max", .machine { place in place.host(ValueStep.extreme { try place.isBefore($1, $0, of: $0) }, .optional) }
        ),
        OperatorForm("allSatisfy", .expression()) { expression in
            .machine { place in
                place.host(ValueStep.allSatisfy { try expression.holds(for: $0, in: place.context) }, .nothing) {
                    .bool($0)
                }
            }
        },
        OperatorForm("contains", .value("value")) { wanted in
            .machine { place in place.host(ValueStep.allSatisfy { $0 != wanted }, .nothing) { .bool(!$0) } }
        },
        OperatorForm("collect", .machine { place in place.host(Collect(), .waiting, place.array) }),
        OperatorForm("collect", .count(in: 1...StreamLimits.collected)) { count in
            .machine { place in place.host(Collect(count), .waiting, place.array) }
        },
        OperatorForm("collect", .seconds(atLeastMilliseconds: StreamLimits.periodMilliseconds)) { period in
            // A run ends periods without values too: it may end with its steps.
            .machine { place in
                place.host(CollectByTime(place.span(of: period), ticks: !place.isKept), .period, place.array)
            }
        },
    ]
}

extension OperatorPlace {
    /// Returns true if a value is before another; of a pair without an order, `value` fails.
    fileprivate func isBefore(_ one: JSON, _ other: JSON, of value: JSON) throws -> Bool {
        try context.reporting(pointer, of: value) { try JSONOrder.isBefore(one, other) }
    }
}

/// The order of `min` and `max`: numbers by value, strings by code point. Other pairs of values have no order.
enum JSONOrder {
    /// Two values that have no order.
    struct Missing: Error, CustomStringConvertible {
        let one: JSON
        let other: JSON

        var description: String {
            "\(one.kind.words) and \(other.kind.words) have no order: only two numbers have one, and two strings"
        }
    }

    static func isBefore(_ one: JSON, _ other: JSON) throws(Missing) -> Bool {
        switch (one, other) {
        case (.number(let one), .number(let other)): one < other
        // Bytes of UTF-8 have the order of the code points.
        case (.string(let one), .string(let other)): one.utf8.lexicographicallyPrecedes(other.utf8)
        default: throw Missing(one: one, other: other)
        }
    }
}
