extension Observable {
    /// This, whose life is followed from aside, in the midst of propagation: what is called here had better do nothing but take note.
    @inlinable
    public func handleEvents(
        start: @escaping () -> Void = {}, value: @escaping (Value) -> Void = { _ in }, end: @escaping (End) -> Void = { _ in },
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
