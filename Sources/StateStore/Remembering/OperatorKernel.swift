import JSON

/// The rule of a named operator: what it keeps, and what it delivers.
///
/// All that a kernel keeps is in its memory, so that it continues after a restart as if there had been none.
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
}
