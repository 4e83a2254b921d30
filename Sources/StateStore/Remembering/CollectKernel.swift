import JSON

/// The kernel of `collect`: all values so far, or groups of `count`. Each waiting value is an entry.
final class CollectKernel<Value: JSONConvertible>: OperatorKernel<[Value]> {
    /// The number of values of a group; nil for one array of all values.
    private let count: Int?
    private var values: [Value] = []

    init(count: Int? = nil) {
        self.count = count
    }

    private func key(_ index: Int) -> String { "values/\(index)" }

    override func resume(_ memory: Memory?) throws {
        values = []
        guard let memory else { return }
        while let value = try memory.value(key(values.count), as: Value.self) { values.append(value) }
    }

    override var shown: [Value]? { count == nil ? values : nil }
    override var keepsShown: Bool { count == nil }

    func receive(_ value: Value, _ moment: inout OperatorMoment<[Value]>) throws {
        try moment.memory.write(value, as: key(values.count))
        values.append(value)
        guard let count else { return moment.emit(values) }
        guard values.count >= count else { return }
        for index in values.indices { moment.memory[key(index)] = nil }
        moment.emit(values)
        values = []
    }
}
