extension Observable {
    /// Calls closures for the lifecycle and the events of this observable. They run during propagation, so they should
    /// only record.
    @inlinable
    public func handleEvents(
        start: @escaping () -> Void = {}, value: @escaping (Value) -> Void = { _ in },
        end: @escaping (End) -> Void = { _ in },
        stop: @escaping () -> Void = {}
    ) -> Observable<Value> {
        Observable { output in
            start()
            output.undo = stop
            output.listen(
                to: self,
                receive: { delivered in
                    value(delivered)
                    output.emit(delivered)
                },
                end: { ending in
                    end(ending)
                    output.undo = nil
                    output.finish(ending)
                })
        }
    }
}
