extension Observable {
    /// Makes an operator with one source from a closure for each value and a closure for the end. Operators
    /// with a state are machines.
    @inlinable
    package func lift<Output>(
        madeBy maker: StaticString = #function, receive: @escaping (Value, Observable<Output>) throws -> Void,
        end: ((End, Observable<Output>) throws -> Void)? = nil
    ) -> Observable<Output> {
        Observable<Output>(madeBy: maker) { output in
            output.listen(
                to: self,
                receive: { value in output.attempt { try receive(value, output) } },
                end: end.map { end in { ending in output.attempt { try end(ending, output) } } })
        }
    }

    /// Makes an operator with one source and a state. The state begins anew each time the observable starts.
    @inlinable
    package func lift<State, Output>(
        keeping initial: @escaping @autoclosure () -> State, madeBy maker: StaticString = #function,
        receive: @escaping (inout State, Value, Observable<Output>) throws -> Void
    ) -> Observable<Output> {
        Observable<Output>(madeBy: maker) { output in
            let state = Box(initial())
            output.listen(
                to: self, receive: { value in output.attempt { try receive(&state.value, value, output) } })
        }
    }
}
