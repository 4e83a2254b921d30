import JSON
import Reactive
import StateModel

/// The memory that a host gives to the machine of an operator: one entry, and numbered ones below it.
protocol OperatorMemory {
    /// Keeps a value in an entry; nil removes it. `held` is the value of the stream in it.
    func keep(_ value: @autoclosure () -> JSON?, holding held: JSON?, at number: Int?) throws
}

extension OperatorMemory {
    func keep(_ value: @autoclosure () -> JSON?, holding held: JSON? = Optional.none) throws {
        try keep(value(), holding: held, at: nil)
    }
}

extension MemorySlot: OperatorMemory {
    func keep(_ value: @autoclosure () -> JSON?, holding held: JSON?, at number: Int?) throws {
        let slot = number.map { appending($0) } ?? self
        slot.value = value()
    }

    /// The numbered entries.
    func waiting<Element>(_ element: (JSON) -> Element) -> WaitingQueue<Element> {
        let numbers = numbers
        return WaitingQueue(
            from: numbers.first ?? 0, numbers.map { element(appending($0).value?.element ?? .null) })
    }
}

/// The memory of an operator in a run: it counts the values that the operator holds, and keeps nothing.
final class RunMemory: OperatorMemory {
    private let held: HeldValue
    private let waiting: WaitingValues
    private let place: OperatorPlace
    private var latest: JSON?

    init(_ place: OperatorPlace) {
        self.place = place
        held = HeldValue(place.context, at: place.pointer)
        waiting = WaitingValues(place.context.budget)
    }

    func keep(_ value: @autoclosure () -> JSON?, holding held: JSON?, at number: Int?) throws {
        guard number == nil else {
            // An entry that waits holds a value, and one that has left does not.
            guard let held else { return waiting.remove(1) }
            return try waiting.add(held, at: place.pointer, in: place.context)
        }
        // Compared at once if it is the same value.
        guard latest != held else { return }
        latest = held
        if let held { try self.held.replace(with: held) } else { self.held.clear() }
    }
}

/// The form of a machine's state as JSON. It is part of the data directory.
struct KeptForm<State> {
    /// Reads the state from a slot; nil if it has none.
    let read: (MemorySlot) -> State?
    /// Keeps what has changed.
    let keep: (inout State, any OperatorMemory) throws -> Void
    /// The value delivered last, if the state has it.
    var delivered: ((State) -> JSON)?
    /// The number of values that wait.
    var waiting: ((State) -> Int)?
    /// True if the state is kept from the beginning on, and not from the first value on.
    var begins = false
    /// True if a run counts the latest value of the source as held.
    var holdsLatest = false
    /// False for a state without entries.
    var isOfEntries = true

    /// The form with the limit of values that wait.
    func limited(at place: OperatorPlace) -> KeptForm {
        guard let waiting else { return self }
        return KeptForm(
            read: read,
            keep: { state, memory in
                guard waiting(state) <= StreamLimits.waitingValues else {
                    throw place.context.failure(
                        "more than \(StreamLimits.waitingValues) values wait here", at: place.pointer)
                }
                try keep(&state, memory)
            }, begins: begins)
    }
}

extension KeptForm where State == Nothing {
    static var nothing: KeptForm { KeptForm(read: { _ in nil }, keep: { _, _ in }, isOfEntries: false) }
}

extension KeptForm where State == JSON {
    /// An accumulated value. With `isDelivered` it is the value that the operator has delivered last.
    static func accumulated(isDelivered: Bool) -> KeptForm {
        KeptForm(
            read: { $0.value?.element }, keep: { try $1.keep(.optional($0), holding: $0) },
            delivered: isDelivered ? { $0 } : nil)
    }
}

extension KeptForm where State == JSON? {
    /// A value, or none.
    static var optional: KeptForm {
        KeptForm {
            // The state is there, and may be nil.
            $0.value?.element.map { .some($0.element) } ?? .none
        } keep: { state, memory in
            try memory.keep(.optional(.optional(state)), holding: state)
        }
    }
}

extension KeptForm where State == Int {
    static var count: KeptForm {
        KeptForm {
            $0.value?.element.map(\.whole)
        } keep: { state, memory in
            try memory.keep(.optional(.number(Decimal(state))))
        }
    }
}

extension KeptForm where State == Bool {
    static var flag: KeptForm {
        KeptForm {
            $0.value?.element.map { $0 == .bool(true) }
        } keep: { state, memory in
            try memory.keep(.optional(.bool(state)))
        }
    }

    /// A flag that is kept from the time on that it is true.
    static var opening: KeptForm {
        KeptForm {
            $0.value.map { _ in true }
        } keep: { state, memory in
            if state { try memory.keep(true) }
        }
    }
}

extension KeptForm where State == Latest<JSON> {
    static var latest: KeptForm {
        KeptForm {
            $0.value.map { Latest($0.element) }
        } keep: { state, memory in
            try memory.keep(state.value.map { .optional($0) }, holding: state.value)
        }
    }
}

// MARK: Times, in microseconds

extension JSON {
    fileprivate init(_ instant: Instant) { self = .number(Decimal(Timestamp(instant).microseconds)) }
    fileprivate var instant: Instant { Instant(Timestamp(microseconds: Int64(whole))) }

    fileprivate var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
}

extension KeptForm where State == Instant {
    static var instant: KeptForm {
        KeptForm(read: { $0.value?.instant }, keep: { try $1.keep(JSON($0)) }, begins: true)
    }
}

extension KeptForm where State == Instant? {
    static var deadline: KeptForm {
        KeptForm(
            read: { $0.value.map { .some($0.instant) } ?? .none }, keep: { try $1.keep($0.map { JSON($0) }) },
            begins: true)
    }
}

extension KeptForm where State == Timed<JSON>? {
    static var debounced: KeptForm {
        KeptForm { slot in
            guard let parts = slot.value?.elements, parts.count == 2 else { return .none }
            return Timed(due: parts[0].instant, parts[1])
        } keep: { state, memory in
            try memory.keep(state.map { .array([JSON($0.due), $0.value]) }, holding: state?.value)
        }
    }
}

extension KeptForm where State == Throttle<JSON>.Window {
    static var throttled: KeptForm {
        KeptForm(
            read: { slot in
                guard let parts = slot.value?.elements, parts.count == 3 else { return nil }
                return State(opening: parts[0].instant, waiting: parts[1].element, isEnding: parts[2] == .bool(true))
            },
            keep: { state, memory in
                try memory.keep(
                    state.opening.map { .array([JSON($0), .optional(state.waiting), .bool(state.isEnding)]) })
            }, holdsLatest: true)
    }
}

extension KeptForm where State == WaitingQueue<JSON> {
    static var waiting: KeptForm {
        KeptForm(
            read: { $0.waiting { $0 } },
            keep: { state, memory in
                for (number, element) in state.takeChanges() {
                    try memory.keep(element.map { .optional($0) }, holding: element, at: number)
                }
            }, waiting: \.count)
    }
}

extension KeptForm where State == CollectByTime<JSON>.Period {
    /// The beginning and, if values wait, the end of their period; and the values.
    static var period: KeptForm {
        KeptForm(
            read: { slot in
                guard let times = slot.value?.elements, let start = times.first else { return nil }
                return State(
                    start: start.instant, ending: times.dropFirst().first?.instant, slot.waiting { $0 })
            },
            keep: { state, memory in
                try memory.keep(.array([state.start, state.ending].compactMap { $0.map { JSON($0) } }))
                try KeptForm<WaitingQueue<JSON>>.waiting.keep(&state.values, memory)
            }, waiting: \.values.count, begins: true)
    }
}

extension KeptForm where State == WaitingQueue<Timed<JSON?>> {
    /// Each element is [time, value], or [time] for the completion.
    static var delayed: KeptForm {
        KeptForm(
            read: { slot in
                slot.waiting { element in
                    let parts = element.elements
                    return Timed(due: parts.first?.instant ?? .zero, parts.dropFirst().first)
                }
            },
            keep: { state, memory in
                for (number, element) in state.takeChanges() {
                    try memory.keep(
                        element.map { .optional(.array([JSON($0.due)] + ($0.value.map { [$0] } ?? []))) },
                        holding: element.map { $0.value ?? .null }, at: number)
                }
            }, waiting: \.count)
    }
}
