public import JSON
public import Reactive

// Named operators that show some of the values of their source, and the last of them until the next.

extension Observable where Value: Equatable & JSONConvertible {
    /// Shows the last value that satisfied a condition.
    public func filter(_ name: String, _ isIncluded: @escaping (Value) throws -> Bool) -> Observable<Value> {
        operated(name, ValueStep.filter(isIncluded), .nothing)
    }

    /// Shows the last value that is not the same as the one shown before it.
    public func removeDuplicates(
        _ name: String, by areSame: @escaping (_ previous: Value, _ value: Value) throws -> Bool
    ) -> Observable<Value> {
        operated(name, ValueStep.removeDuplicates(by: areSame), .optional())
    }

    /// Shows the last value whose key is not that of the one shown before it.
    public func removeDuplicates<Key: Equatable>(
        _ name: String, key: @escaping (Value) throws -> Key
    ) -> Observable<Value> {
        removeDuplicates(name) { try key($0) == key($1) }
    }

    /// Shows the last value that does not equal the one shown before it.
    public func removeDuplicates(_ name: String) -> Observable<Value> {
        removeDuplicates(name) { $0 == $1 }
    }

    /// Shows the first value for ever.
    public func first(_ name: String) -> Observable<Value> {
        prefix(name, 1)
    }

    /// Shows the first value that satisfies a condition for ever.
    public func first(_ name: String, where isIt: @escaping (Value) throws -> Bool) -> Observable<Value> {
        operated(name, ValueStep.first(where: isIt), .whole)
    }

    /// Shows the last of the first `count` values.
    public func prefix(_ name: String, _ count: Int) -> Observable<Value> {
        operated(name, ValueStep.prefix(count), .whole)
    }

    /// Shows the last value before the first one that does not satisfy a condition.
    public func prefix(_ name: String, while isIncluded: @escaping (Value) throws -> Bool) -> Observable<Value> {
        operated(name, ValueStep.prefix(while: isIncluded), .whole)
    }

    /// Shows the last value after the first `count`.
    public func dropFirst(_ name: String, _ count: Int = 1) -> Observable<Value> {
        operated(name, ValueStep.dropFirst(count), .whole)
    }

    /// Shows the last value from the first one on that does not satisfy a condition.
    public func drop(_ name: String, while isDropped: @escaping (Value) throws -> Bool) -> Observable<Value> {
        operated(name, ValueStep.drop(while: isDropped), .whole)
    }
}

extension Observable where Value: Equatable & JSONWritable {
    /// Shows the last result of a transformation that was not nil.
    public func compactMap<Output: JSONConvertible>(
        _ name: String, _ transform: @escaping (Value) throws -> Output?
    ) -> Observable<Output> {
        operated(name, ValueStep.compactMap(transform), .nothing)
    }
}
