import JSON

/// A kernel that keeps one value in one entry.
final class StateKernel<Kept: JSONConvertible, Input, Output>: OperatorKernel<Output> {
    typealias Take = (inout Kept, Input, inout OperatorMoment<Output>) throws -> Void

    private static var key: String { "state" }
    private let initial: Kept
    private let take: Take
    private let show: ((Kept) -> Output)?
    private let showsInitial: Bool
    private var state: Kept
    private var hasInput = false

    /// A kernel that begins with a value. If `show` is given, the value shown follows from the kept one: from the first
    /// input on or, if `showsInitial` is true, from the beginning on.
    init(
        _ initial: Kept, showing show: ((Kept) -> Output)? = nil, showsInitial: Bool = false, _ take: @escaping Take
    ) {
        self.initial = initial
        self.show = show
        self.showsInitial = showsInitial
        self.take = take
        state = initial
    }

    override func resume(_ memory: Memory?) throws {
        let kept = try memory?.value(Self.key, as: Kept.self)
        hasInput = kept != nil
        state = kept ?? initial
    }

    override var shown: Output? { showsInitial || hasInput ? show?(state) : nil }
    override var keepsShown: Bool { show != nil }

    func receive(_ value: Input, _ moment: inout OperatorMoment<Output>) throws {
        try take(&state, value, &moment)
        hasInput = true
        try moment.memory.write(state, as: Self.key)
    }
}

/// A kernel that keeps nothing.
final class PassingKernel<Input, Output>: OperatorKernel<Output> {
    private let take: (Input, inout OperatorMoment<Output>) throws -> Void

    init(_ take: @escaping (Input, inout OperatorMoment<Output>) throws -> Void) {
        self.take = take
    }

    func receive(_ value: Input, _ moment: inout OperatorMoment<Output>) throws {
        try take(value, &moment)
    }
}
