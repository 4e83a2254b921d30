import JSON
import Reactive
import Streams

/// A stream definition with ten operators. Every value passes all of them.
private let document = #"""
    {"id": "ten", "source": {"view": "numbers.one"}, "operators": [
        {"map": {"expression": "value + 1"}},
        {"filter": {"expression": "value > 0"}},
        {"scan": {"initialValue": 0, "expression": "(accumulated + value) % 1000003"}},
        {"removeDuplicates": {}},
        {"map": {"expression": "value * 2"}},
        {"dropFirst": {"count": 1}},
        {"compactMap": {"expression": "value"}},
        {"drop": {"while": "value < 0"}},
        {"removeDuplicates": {"by": "previous == value"}},
        {"map": {"expression": "value - 1"}}
    ]}
    """#

/// The same operators in Swift over JSON values.
private func tenInSwift(_ source: Observable<JSON>) -> Observable<JSON> {
    let sums = source.map(successor).filter(isPositive).scan(0, sum).removeDuplicates()
    let doubles = sums.map(double).dropFirst(1).compactMap { (value: JSON) -> JSON? in value == .null ? nil : value }
    return doubles.drop(while: isNegative).removeDuplicates { (previous: JSON, value: JSON) -> Bool in previous == value
    }.map(predecessor)
}

private func successor(_ value: JSON) throws -> JSON { .number(try number(value) + 1) }
private func predecessor(_ value: JSON) throws -> JSON { .number(try number(value) - 1) }
private func double(_ value: JSON) throws -> JSON { .number(try number(value) * 2) }
private func isPositive(_ value: JSON) throws -> Bool { try number(value) > 0 }
private func isNegative(_ value: JSON) throws -> Bool { try number(value) < 0 }

private func sum(_ accumulated: JSON, _ value: JSON) throws -> JSON {
    guard let whole = (try number(accumulated) + number(value)).int64 else { throw NotANumber() }
    return .number(Decimal(whole % 1_000_003))
}

private struct NotANumber: Error {}

private func number(_ value: JSON) throws -> Decimal {
    guard case .number(let number) = value else { throw NotANumber() }
    return number
}

private func sends(_ begin: (Subject<JSON>, @escaping (JSON) -> Void) -> Any) -> (Int) -> Void {
    let subject = Subject<JSON>()
    var sent = 0
    var received = 0
    let run = begin(subject) { _ in received += 1 }
    return { number in
        withExtendedLifetime(run) {
            subject.send(.number(Decimal(number & 1023)))
            sent += 1
            // Every value except the first passes.
            precondition(received == sent - 1)
        }
    }
}

private func asData() -> (Int) -> Void {
    guard let json = try? JSON(parsing: Array(document.utf8)), let definition = try? StreamDefinition(json),
        let program = try? StreamProgram(definition, find: { _ in nil })
    else { preconditionFailure("the definition is refused") }
    return sends { subject, receive in
        StreamRun(program, on: VirtualScheduler(), sources: ExternalSources { _ in subject }) { event in
            if case .value(let value) = event { receive(value) }
        }
    }
}

private func inSwift() -> (Int) -> Void {
    sends { subject, receive in tenInSwift(subject).watch(in: Graph(order: .onArrival), receive: receive) }
}

/// Stream definitions compared with the same operators in Swift.
let streamComparisons = MeasurementGroup(
    name: "streams",
    comparisons: [
        Comparison(
            name: "ten operators as data compared with Swift", allowed: 2, operations: 20_000, ours: asData,
            limit: inSwift)
    ])
