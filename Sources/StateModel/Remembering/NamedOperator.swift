import JSON
import Reactive

/// An operator of a view model that remembers: in one space it takes the values of its sources once in each commit, and
/// its memory changes in that commit.
class NamedOperator {
    /// The name, unique in the feature.
    let name: String
    /// The fault of its arguments; nil if they are good.
    let fault: String?

    init(_ name: String, fault: String?) {
        self.name = name
        self.fault = fault
    }

    /// True if the operator has begun and has not failed.
    var isOpen: Bool { false }
    /// True if its memory has begun.
    var isBegun: Bool { false }
    /// The time of its alarm; nil if there is none.
    var due: Timestamp? { nil }
    /// The time from the setting of its alarm to its going off.
    var wait: Duration { .zero }
    /// The sources, for the registration.
    var sources: [Node] { [] }
    /// Returns true if a node delivers its values.
    func delivers(_ node: Node) -> Bool { false }
    /// Keeps the sources active.
    func hold(in graph: Graph) -> [Subscription] { [] }

    /// Takes what the memory has of the operator; nil for nothing.
    func resume(_ memory: Memory?) {}
    /// Follows the sources.
    func connect(in graph: Graph, dependsOnCommon: Bool) {}
    /// Stops following the sources.
    func disconnect() {}
    /// Begins with an empty memory, in the commit that makes the version.
    func begin(_ memory: Memory, at version: Int) {}
    /// Takes the values that came since the last step, and delivers the results. Returns the number of values.
    func step(at now: Timestamp, in graph: Graph) -> Int { 0 }
    /// Lets its alarm go off, and delivers the results.
    func elapse(at now: Timestamp, in graph: Graph) {}
    /// Ends with a failure.
    func fail(_ error: any Error, in graph: Graph) {}
    /// Delivers the value, if the memory has changed since the last reading of it.
    func refresh(_ memory: Memory?, in graph: Graph) {}
}

/// A named operator that delivers values of one type.
final class TypedOperator<Output: JSONConvertible>: NamedOperator {
    private let kernel: OperatorKernel<Output>
    private let inputs: [OperatorInput<Output>]
    /// The observable of the values, which retains this operator.
    private(set) weak var output: Observable<Output>?
    private var memory: Memory?
    private var revision = 0
    /// The value shown; nil before the first one.
    private var shown: Output?
    private var failure: OperatorFailure?

    private static var beginKey: String { "begin" }
    private static var valueKey: String { "value" }
    private static var endKey: String { "end" }

    init(
        _ name: String, fault: String?, _ kernel: OperatorKernel<Output>, _ inputs: [OperatorInput<Output>]
    ) {
        self.kernel = kernel
        self.inputs = inputs
        super.init(name, fault: fault)
        shown = kernel.shown
    }

    deinit {
        for input in inputs { input.disconnect() }
    }

    /// Makes the observable of the values.
    func observable() -> Observable<Output> {
        let output = Observable<Output>(madeBy: NamedOperators.maker) { output in self.show(to: output) }
        self.output = output
        return output
    }

    private func show(to output: Observable<Output>) {
        if let failure { return output.finish(.failed(failure)) }
        if let shown { output.emit(shown) }
    }

    override var isOpen: Bool { isBegun && failure == nil }
    override var isBegun: Bool { memory != nil }
    override var due: Timestamp? { isOpen ? kernel.due : nil }
    override var wait: Duration { kernel.wait }
    override var sources: [Node] { inputs.map(\.node) }
    override func delivers(_ node: Node) -> Bool { output === node }
    override func hold(in graph: Graph) -> [Subscription] { inputs.map { $0.hold(in: graph) } }

    // MARK: The memory

    override func resume(_ memory: Memory?) {
        let memory = memory.flatMap { $0.isEmpty ? nil : $0 }
        do {
            try read(memory)
            self.memory = memory
        } catch {
            // Another release has kept values of another type. The operator begins anew with the next commit.
            self.memory = nil
            failure = nil
            // Without a memory, there is nothing that a kernel could fail to read.
            try? kernel.resume(nil)
            shown = kernel.shown
        }
    }

    private func read(_ memory: Memory?) throws {
        failure = try memory?.value(Self.endKey, as: String.self).map { OperatorFailure($0) }
        try kernel.resume(failure == nil ? memory : nil)
        shown = kernel.keepsShown ? kernel.shown : try memory?.value(Self.valueKey)
        revision = memory?.revision ?? 0
    }

    override func begin(_ memory: Memory, at version: Int) {
        memory.removeAll()
        memory[Self.beginKey] = Array("{\"version\":\(version)}".utf8)
        self.memory = memory
    }

    override func refresh(_ memory: Memory?, in graph: Graph) {
        guard self.memory !== memory || memory?.revision != revision else { return }
        resume(memory)
        guard let output, output.isActive else { return }
        graph.turn { show(to: output) }
    }

    // MARK: Computing

    override func connect(in graph: Graph, dependsOnCommon: Bool) {
        guard failure == nil else { return }
        for input in inputs { input.connect(in: graph, isBegun: isBegun, dependsOnCommon: dependsOnCommon) }
    }

    override func disconnect() {
        for input in inputs { input.disconnect() }
    }

    override func step(at now: Timestamp, in graph: Graph) -> Int {
        guard let memory, failure == nil else { return 0 }
        var moment = OperatorMoment<Output>(now: now, memory)
        var count = 0
        do {
            for input in inputs { count += try input.step(&moment, in: graph) }
            try finish(moment, in: graph)
        } catch {
            fail(error, in: graph)
        }
        return count
    }

    override func elapse(at now: Timestamp, in graph: Graph) {
        guard let memory, failure == nil else { return }
        var moment = OperatorMoment<Output>(now: now, memory)
        do {
            try kernel.elapse(&moment)
            try finish(moment, in: graph)
        } catch {
            fail(error, in: graph)
        }
    }

    /// Delivers the values of a moment, and keeps the last one.
    private func finish(_ moment: OperatorMoment<Output>, in graph: Graph) throws {
        if let last = moment.values.last, !kernel.keepsShown { try moment.memory.write(last, as: Self.valueKey) }
        guard moment.memory.size <= MemoryLimits.bytes else {
            throw OperatorFailure("the operator \(name) remembers more than \(MemoryLimits.bytes) bytes")
        }
        revision = moment.memory.revision
        for value in moment.values {
            shown = value
            guard let output, output.isActive else { continue }
            graph.turn { output.emit(value) }
        }
    }

    override func fail(_ error: any Error, in graph: Graph) {
        guard let memory, failure == nil else { return }
        let failure = OperatorFailure("\(error)")
        self.failure = failure
        for key in Array(memory.keys) where key != Self.beginKey { memory[key] = nil }
        // A description is text, which is always JSON.
        memory[Self.endKey] = (try? failure.description.json()) ?? Array("\"\"".utf8)
        revision = memory.revision
        disconnect()
        guard let output, output.isActive else { return }
        graph.turn { output.finish(.failed(failure)) }
    }
}
