/// An operator as a state machine: what it keeps between events, and what each event does to it.
///
/// Hosts play the events: a graph in this process, a pipeline or a named operator of a space. A host gives the state a
/// memory, which may outlive the process, and delivers the results. All that a machine keeps is in its state, so that it
/// continues from a memory as if there had been no break.
package protocol Machine<Input, Output> {
    /// The values of the source.
    associatedtype Input
    /// The values of the side source, which decides when or which values are delivered.
    associatedtype Side = Never
    /// The values delivered.
    associatedtype Output = Input
    /// What it keeps.
    associatedtype State

    /// The state before the beginning.
    var initial: State { get }
    /// True if, of the events of one moment, those of the side source come before those of the source.
    var sideIsFirst: Bool { get }

    /// Begins, before the first event.
    func begin(_ state: inout State, _ output: inout Emission<Output>) throws
    /// Takes a value of the source.
    func receive(_ value: Input, _ state: inout State, _ output: inout Emission<Output>) throws
    /// Takes the end of the source.
    func end(_ end: End, _ state: inout State, _ output: inout Emission<Output>) throws
    /// Takes a value of the side source.
    func receiveSide(_ value: Side, _ state: inout State, _ output: inout Emission<Output>) throws
    /// Takes the completion of the side source.
    func endSide(_ state: inout State, _ output: inout Emission<Output>) throws
    /// Returns false if it takes nothing more from the side source.
    func takesSide(_ state: State) -> Bool

    /// The time of its alarm; nil if it has none.
    func due(_ state: State) -> Instant?
    /// The time from the setting of its alarm to its going off.
    var wait: Duration { get }
    /// True if each value sets the alarm anew, also to the time that it has.
    var setsAnew: Bool { get }
    /// Lets the alarm go off. Precondition: `due` is not later than now.
    func elapse(_ state: inout State, _ output: inout Emission<Output>) throws
}

extension Machine {
    package var sideIsFirst: Bool { true }
    package func begin(_ state: inout State, _ output: inout Emission<Output>) throws {}
    package func end(_ end: End, _ state: inout State, _ output: inout Emission<Output>) throws {
        output.finish(end)
    }
    package func receiveSide(_ value: Side, _ state: inout State, _ output: inout Emission<Output>) throws {}
    package func endSide(_ state: inout State, _ output: inout Emission<Output>) throws {}
    package func takesSide(_ state: State) -> Bool { true }
    package func due(_ state: State) -> Instant? { nil }
    package var wait: Duration { .zero }
    package var setsAnew: Bool { false }
    package func elapse(_ state: inout State, _ output: inout Emission<Output>) throws {}
}

/// The events that a part of a pipeline delivers at an event: values, then at most one end.
package struct Emission<Value> {
    /// The time that the machine sees.
    package let now: Instant
    // Most events have one result at most, which needs no array.
    private var first: Event<Value>?
    private var others: [Event<Value>] = []
    /// True after an end.
    package private(set) var isOver = false

    package init(at now: Instant) {
        self.now = now
    }

    /// The events, in their order.
    package var events: [Event<Value>] { first.map { [$0] + others } ?? [] }

    /// Calls `body` with each event, in their order.
    package func forEach(_ body: (Event<Value>) throws -> Void) rethrows {
        if let first { try body(first) }
        for event in others { try body(event) }
    }

    /// Delivers a value.
    package mutating func emit(_ value: Value) {
        if !isOver { append(.value(value)) }
    }

    /// Delivers the end.
    package mutating func finish(_ end: End) {
        guard !isOver else { return }
        isOver = true
        append(.end(end))
    }

    private mutating func append(_ event: Event<Value>) {
        if first == nil { first = event } else { others.append(event) }
    }

    /// Runs `body`, and delivers its error as a failure.
    package mutating func attempt(_ body: (inout Emission<Value>) throws -> Void) {
        do { try body(&self) } catch { finish(.failed(error)) }
    }
}

/// Values that wait in a machine, in their order. They are numbered: an empty queue begins again with 0.
package struct WaitingQueue<Element> {
    private var elements = Fifo<Element>()
    private var number = 0
    /// The changes since `takeChanges`; nil if no memory follows them.
    private var changes: [(number: Int, element: Element?)]?

    /// An empty queue.
    package init() {}

    /// The queue that a memory has kept: the number of the first element, and all elements.
    package init(from number: Int, _ kept: [Element]) {
        self.number = kept.isEmpty ? 0 : number
        for element in kept { elements.append(element) }
        changes = []
    }

    package var count: Int { elements.count }
    package var isEmpty: Bool { elements.isEmpty }
    package var first: Element? { elements.first }
    package var all: [Element] { (0..<elements.count).compactMap { elements[$0] } }

    /// Adds an element at the end.
    package mutating func append(_ element: Element) {
        changes?.append((number + elements.count, element))
        elements.append(element)
    }

    /// Removes and returns the first element.
    package mutating func popFirst() -> Element? {
        guard let element = elements.popFirst() else { return nil }
        changes?.append((number, nil))
        number = elements.isEmpty ? 0 : number + 1
        return element
    }

    /// Removes and returns all elements.
    package mutating func popAll() -> [Element] {
        var all: [Element] = []
        while let element = popFirst() { all.append(element) }
        return all
    }

    /// Returns the changes since the last call: the numbers of elements, with the new element or nil for none. From the
    /// first call on, a memory follows them.
    package mutating func takeChanges() -> [(number: Int, element: Element?)] {
        defer { changes = [] }
        return changes ?? (0..<elements.count).map { (number + $0, elements[$0]) }
    }
}
