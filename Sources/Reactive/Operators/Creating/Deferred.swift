extension Observable {
    /// What `make` gives, made anew each time this is started.
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
