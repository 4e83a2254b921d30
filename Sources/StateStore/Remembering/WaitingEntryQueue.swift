import JSON
import Reactive

/// Values that wait in the memory of a named operator, each as an entry of its own.
struct WaitingEntryQueue<Value: JSONConvertible> {
    private let name: String
    private var values = Fifo<Value>()
    /// The number of the first value, and of the next one.
    private var first = 0
    private var next = 0

    /// An empty queue, whose entries are below `name`.
    init(_ name: String) {
        self.name = name
    }

    var isEmpty: Bool { values.isEmpty }
    var front: Value? { values.first }

    private func key(_ number: Int) -> String { "\(name)/\(number)" }

    /// Takes the entries of a memory.
    mutating func resume(_ memory: Memory?) throws(JSONError) {
        values = Fifo()
        (first, next) = (0, 0)
        guard let memory else { return }
        let prefix = "\(name)/"
        let numbers = memory.keys.compactMap { $0.hasPrefix(prefix) ? Int($0.dropFirst(prefix.count)) : nil }.sorted()
        for number in numbers {
            if let value = try memory.value(key(number), as: Value.self) { values.append(value) }
        }
        first = numbers.first ?? 0
        next = numbers.last.map { $0 + 1 } ?? 0
    }

    /// Adds a value at the end.
    mutating func append(_ value: Value, _ memory: Memory) throws(JSONError) {
        if values.isEmpty { (first, next) = (0, 0) }
        try memory.write(value, as: key(next))
        values.append(value)
        next += 1
    }

    /// Removes the first value.
    mutating func popFirst(_ memory: Memory) -> Value? {
        guard let value = values.popFirst() else { return nil }
        memory[key(first)] = nil
        first += 1
        return value
    }
}
