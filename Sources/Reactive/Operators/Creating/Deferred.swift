extension Observable {
    /// Creates an observable with `make` each time it starts, and follows it.
    @inlinable
    public static func deferred(_ make: @escaping () throws -> Observable<Value>) -> Observable<Value> {
        Observable { output in
            output.attempt {
                let source = try make()
                output.listen(to: source, receive: { output.emit($0) }, end: { output.finish($0) })
            }
        }
    }
}
