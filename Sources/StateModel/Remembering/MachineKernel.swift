import JSON
package import Reactive

/// The machine of a named operator, without the types of its state and its sources.
class OperatorKernel<Output> {
    /// Takes what the memory has; without a memory the kernel is as before its first input.
    func resume(_ memory: Memory?) throws {}

    /// The value shown, if the kernel keeps it; nil if the operator keeps it for the kernel.
    var shown: Output? { nil }
    /// True if the kernel keeps the value shown.
    var keepsShown: Bool { false }

    /// The time of the alarm; nil if there is none.
    var due: Timestamp? { nil }
    /// The time from the setting of the alarm to its going off.
    var wait: Duration { .zero }
    /// Takes the alarm. Precondition: `due <= moment.now`.
    func elapse(_ moment: inout OperatorMoment<Output>) throws {}
}

/// The host of a machine whose state is in a memory. A named operator has no end but a failure, so the completion of its
/// machine means nothing.
final class MachineKernel<M: Machine, Output>: OperatorKernel<Output> {
    private let machine: M
    private let form: MemoryForm<M.State>
    private let made: (M.Output) throws -> Output
    private let show: ((M.State) -> Output)?
    private let showsInitial: Bool
    private var state: M.State
    private var hasInput = false

    /// A kernel whose state has a form, and whose results `made` makes to values. If `show` is given, the value shown
    /// follows from the state: from the first input on or, if `showsInitial` is true, from the beginning on.
    init(
        _ machine: M, _ form: MemoryForm<M.State>, _ made: @escaping (M.Output) throws -> Output,
        showing show: ((M.State) -> Output)? = nil, showsInitial: Bool = false
    ) {
        self.machine = machine
        self.form = form
        self.made = made
        self.show = show
        self.showsInitial = showsInitial
        state = machine.initial
    }

    override func resume(_ memory: Memory?) throws {
        let kept = try memory.flatMap(form.read)
        hasInput = kept != nil
        state = kept ?? machine.initial
    }

    override var shown: Output? { showsInitial || hasInput ? show?(state) : nil }
    override var keepsShown: Bool { show != nil }
    override var due: Timestamp? { machine.due(state).map { Timestamp($0) } }
    override var wait: Duration { machine.wait }

    func receive(_ value: M.Input, _ moment: inout OperatorMoment<Output>) throws {
        try play(&moment) { try machine.receive(value, &$0, &$1) }
    }

    func receiveSide(_ value: M.Side, _ moment: inout OperatorMoment<Output>) throws {
        try play(&moment) { state, output in try machine.receiveSide(value, &state, &output) }
    }

    override func elapse(_ moment: inout OperatorMoment<Output>) throws {
        try play(&moment) { try machine.elapse(&$0, &$1) }
    }

    private func play(
        _ moment: inout OperatorMoment<Output>,
        _ event: (inout M.State, inout Emission<M.Output>) throws -> Void
    ) throws {
        var results = Emission<M.Output>(at: Instant(moment.now))
        try event(&state, &results)
        hasInput = true
        try form.write(&state, moment.memory)
        try results.forEach { event in
            if case .value(let value) = event { moment.emit(try made(value)) }
        }
    }
}

/// The commit or the alarm for which a named operator computes.
struct OperatorMoment<Output> {
    /// The time that the operator sees.
    let now: Timestamp
    let memory: Memory
    /// The values to deliver, in their order.
    private(set) var values: [Output] = []

    init(now: Timestamp, _ memory: Memory) {
        self.now = now
        self.memory = memory
    }

    /// Delivers a value.
    mutating func emit(_ value: Output) {
        values.append(value)
    }
}

// Machines see the times of commits as instants, and durations in whole microseconds.

extension Instant {
    /// The instant of a time: nanoseconds since 1970-01-01 00:00 UTC.
    package init(_ time: Timestamp) {
        self = .zero + .microseconds(time.microseconds)
    }
}

extension Timestamp {
    /// The time of an instant.
    package init(_ instant: Instant) {
        self.init(microseconds: instant.nanoseconds / 1_000)
    }
}

extension Duration {
    /// The duration in whole microseconds.
    package var inMicroseconds: Duration { .microseconds(wholeNanoseconds / 1_000) }
}
