import JSON
import Reactive

/// The form of a machine's state in the memory of a named operator. It is part of the data directory.
struct MemoryForm<State> {
    /// Reads the state; nil if the memory has none.
    let read: (Memory) throws -> State?
    /// Writes what has changed.
    let write: (inout State, Memory) throws -> Void
}

private let stateKey = "state"

extension MemoryForm where State == Nothing {
    static var nothing: MemoryForm {
        MemoryForm { _ in
            nil
        } write: { _, _ in
        }
    }
}

extension MemoryForm where State: JSONConvertible {
    /// The value itself, in one entry.
    static var whole: MemoryForm {
        MemoryForm {
            try $0.value(stateKey)
        } write: {
            try $1.write($0, as: stateKey)
        }
    }
}

extension MemoryForm {
    /// An array with a value, or without one, in one entry.
    static func optional<Value: JSONConvertible>() -> MemoryForm where State == Value? {
        MemoryForm { memory in
            // The state is there, and may be nil.
            try memory.value(stateKey, as: [Value].self).map { $0.first }
        } write: { state, memory in
            try memory.write(state.map { [$0] } ?? [], as: stateKey)
        }
    }

    static func latest<Value: JSONConvertible>() -> MemoryForm where State == Latest<Value> {
        MemoryForm { memory in
            try memory.value(stateKey, as: [Value].self).map { Latest($0.first) }
        } write: { state, memory in
            try memory.write(state.value.map { [$0] } ?? [], as: stateKey)
        }
    }

    /// Values that wait, each in an entry of its own.
    static func waiting<Value: JSONConvertible>(_ name: String) -> MemoryForm where State == WaitingQueue<Value> {
        MemoryForm { memory in
            let kept: WaitingQueue<Value> = try memory.waiting(name) { $0 }
            return kept.isEmpty ? nil : kept
        } write: { state, memory in
            try memory.write(state.takeChanges(), below: name) { $0 }
        }
    }

    static func delayed<Value: JSONConvertible>() -> MemoryForm where State == WaitingQueue<Timed<Value?>> {
        MemoryForm { memory in
            try memory.waiting("waiting") { (kept: TimedInput<Value>) in Timed(due: kept.timed.due, kept.timed.value) }
        } write: { state, memory in
            try memory.write(state.takeChanges(), below: "waiting") { element in
                element.value.map { TimedInput(timed: Timed(due: element.due, $0)) }
            }
        }
    }

    static func debounced<Value: JSONConvertible>() -> MemoryForm where State == Timed<Value>? {
        MemoryForm { memory in
            try memory.value("waiting", as: TimedInput<Value>.self).map { $0.timed }
        } write: { state, memory in
            try memory.write(state.map { TimedInput(timed: $0) }, as: "waiting")
        }
    }

    static func throttled<Value: JSONConvertible>() -> MemoryForm where State == Throttle<Value>.Window {
        MemoryForm { memory in
            let opening = try memory.value("opening", as: Int64.self).map { Timestamp(microseconds: $0) }
            let waiting = try memory.value("waiting", as: TimedInput<Value>.self)
            return Throttle<Value>.Window(opening: opening.map { Instant($0) }, waiting: waiting?.timed.value)
        } write: { state, memory in
            try memory.write(state.opening.map { Timestamp($0).microseconds }, as: "opening")
            var waiting: TimedInput<Value>?
            if let opening = state.opening, let value = state.waiting {
                waiting = TimedInput(timed: Timed(due: opening, value))
            }
            try memory.write(waiting, as: "waiting")
        }
    }

    static func counterparts<One: JSONConvertible, Other: JSONConvertible>() -> MemoryForm
    where State == Pairing<One, Other>.Counterparts {
        MemoryForm { memory in
            Pairing.Counterparts(try memory.waiting("ones") { $0 }, try memory.waiting("others") { $0 })
        } write: { state, memory in
            try memory.write(state.ones.takeChanges(), below: "ones") { $0 }
            try memory.write(state.others.takeChanges(), below: "others") { $0 }
        }
    }
}

extension Memory {
    /// Reads the value of an entry; nil if there is none.
    func value<Value: JSONReadable>(_ key: String, as type: Value.Type = Value.self) throws(JSONError) -> Value? {
        guard let bytes = self[key] else { return nil }
        return try Value(parsing: bytes)
    }

    /// Writes the value of an entry; nil removes it.
    func write(_ value: (some JSONWritable)?, as key: String) throws(JSONError) {
        self[key] = try value.map { value throws(JSONError) in try value.json() }
    }

    /// Reads the numbered entries below a name.
    fileprivate func waiting<Kept: JSONReadable, Element>(
        _ name: String, _ element: (Kept) -> Element
    ) throws -> WaitingQueue<Element> {
        let prefix = "\(name)/"
        let numbers = keys.compactMap { $0.hasPrefix(prefix) ? Int($0.dropFirst(prefix.count)) : nil }.sorted()
        let kept = try numbers.compactMap { try value("\(prefix)\($0)", as: Kept.self) }
        return WaitingQueue(from: numbers.first ?? 0, kept.map(element))
    }

    /// Writes the changes of numbered entries below a name.
    fileprivate func write<Element>(
        _ changes: [(number: Int, element: Element?)], below name: String,
        _ kept: (Element) -> (some JSONWritable)?
    ) throws {
        for (number, element) in changes { try write(element.flatMap(kept), as: "\(name)/\(number)") }
    }
}

/// A value that waits for a time, as a memory has it: an object with `due`, in microseconds, and `value`.
private struct TimedInput<Value: JSONConvertible>: JSONConvertible {
    let timed: Timed<Value>

    init(timed: Timed<Value>) {
        self.timed = timed
    }

    private static var names: MemberNames { MemberNames(["due", "value"]) }

    init(from reader: inout JSONReader) throws(JSONError) {
        var due: Int64?
        var value: Value?
        _ = try reader.members(of: Self.names) { place, reader throws(JSONError) in
            if place == 0 { due = try Int64(from: &reader) } else { value = try Value(from: &reader) }
        }
        guard let due else { throw JSONError(.missingMember("due"), at: reader.offset) }
        guard let value else { throw JSONError(.missingMember("value"), at: reader.offset) }
        timed = Timed(due: Instant(Timestamp(microseconds: due)), value)
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("due") { Timestamp(timed.due).microseconds.write(to: &$0) }
            writer.field("value") { timed.value.write(to: &$0) }
        }
    }
}
