import Expressions
import StateModel

/// The names that an expression may use, each with its place in the frame of an evaluation.
struct NameScope: Sendable {
    private(set) var names: [(name: String, type: ExpressionType)] = []
    /// The places, in the order of the names.
    private(set) var places: [Int] = []
    /// The private parts of the values, by name.
    private(set) var privateParts: [String: PrivateParts] = [:]
    /// The indexes, by their names in expressions.
    private(set) var indexes: [String: StateIndex] = [:]
    /// The formulas that expressions may call, by name.
    var definitions: [String: Definition] = [:]
    /// The conditions that are true where the names are used.
    private(set) var conditions: [String] = []

    /// The names of a frame, each at its place from 0 on.
    init(_ names: [(name: String, type: ExpressionType)] = []) {
        self.names = names
        places = Array(names.indices)
    }

    func contains(_ name: String) -> Bool { names.contains { $0.name == name } }

    /// Returns the scope with one more name.
    func adding(
        _ name: String, _ type: ExpressionType, at place: Int, hiding parts: PrivateParts = .none
    ) -> NameScope {
        var scope = self
        // A name that an author chooses hides the indexes.
        if name == "index" { scope = scope.withoutIndexes }
        scope.privateParts[name] = parts == .none ? nil : parts
        scope.names.append((name, type))
        scope.places.append(place)
        return scope
    }

    /// Returns the scope with the names of indexes.
    func adding(_ indexes: [StateIndex]) -> NameScope {
        var scope = self
        for index in indexes {
            scope = scope.adding(index.name, .index(index.type), at: NamePlace.index)
            scope.indexes[index.name] = index
        }
        return scope
    }

    /// Returns what reads of the names depend on: a read of an index depends on the state.
    func dependencies(_ reads: [ExpressionRead]) -> [ExpressionRead] {
        guard !indexes.isEmpty else { return reads }
        return reads.flatMap { read in indexes[read.name]?.stateReads(read) ?? [read] }
    }

    private var withoutIndexes: NameScope {
        var scope = self
        for index in names.indices.reversed() where indexes[names[index].name] != nil {
            scope.names.remove(at: index)
            scope.places.remove(at: index)
        }
        scope.indexes = [:]
        return scope
    }

    /// Returns the scope with definitions.
    func defining(_ definitions: DocumentDefinitions) -> NameScope {
        var scope = self
        scope.definitions = definitions.formulas
        return scope
    }

    /// Returns the scope with the private parts of some values.
    func hiding(_ parts: [String: PrivateParts]) -> NameScope {
        var scope = self
        for (name, part) in parts where part != .none { scope.privateParts[name] = part }
        return scope
    }

    /// Returns the scope where a condition is true.
    func assuming(_ condition: WrittenExpression?) -> NameScope {
        guard let condition else { return self }
        var scope = self
        scope.conditions.append(condition.text)
        return scope
    }

    /// Returns the names of a set, each once.
    func only(_ wanted: Set<String>) -> NameScope {
        var scope = NameScope()
        scope.definitions = definitions
        scope.conditions = conditions
        for (index, name) in names.enumerated()
        where wanted.contains(name.name) && names.lastIndex(where: { $0.name == name.name }) == index {
            scope.names.append(name)
            scope.places.append(places[index])
        }
        return scope
    }
}
