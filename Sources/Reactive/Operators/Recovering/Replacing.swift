extension Observable {
    /// Emits `value` if the source completes without emitting.
    public func replaceEmpty(with value: Value) -> Observable<Value> {
        run(Step.replaceEmpty(with: value))
    }

    /// Emits `value` and completes if the source fails.
    public func replaceError(with value: Value) -> Observable<Value> {
        run(Step.replaceError(with: value))
    }
}
