extension Observable {
    /// True if a value satisfies a condition. It delivers true at the first such value, or false on completion.
    @inlinable
    public func contains(where isIt: @escaping (Value) throws -> Bool) -> Observable<Bool> {
        allSatisfy { try !isIt($0) }.map { !$0 }
    }
}

extension Observable where Value: Equatable {
    /// True if the observable delivers `wanted`. It delivers true at that value, or false on completion.
    @inlinable
    public func contains(_ wanted: Value) -> Observable<Bool> {
        contains { $0 == wanted }
    }
}
