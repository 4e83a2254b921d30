extension Observable {
    /// Whether a value satisfies a condition: true with the first that does, false once this has completed.
    @inlinable
    public func contains(where isIt: @escaping (Value) throws -> Bool) -> Observable<Bool> {
        allSatisfy { try !isIt($0) }.map { !$0 }
    }
}

extension Observable where Value: Equatable {
    /// Whether a value is there: true when it comes, false once this has completed.
    @inlinable
    public func contains(_ wanted: Value) -> Observable<Bool> {
        contains { $0 == wanted }
    }
}
