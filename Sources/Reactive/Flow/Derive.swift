extension Observable {
    /// The observable that most operators are: one source, and what to do with each of its values and with its end.
    @inlinable
    package func derive<Output>(
        receive: @escaping (Value, Observable<Output>) throws -> Void,
        end: @escaping (End, Observable<Output>) throws -> Void = { $1.finish($0) }
    ) -> Observable<Output> {
        Observable<Output> { output in
            output.listen(
                to: self,
                receive: { value in output.attempt { try receive(value, output) } },
                end: { ending in output.attempt { try end(ending, output) } })
        }
    }

    /// The same with a state, which begins anew each time the observable is started.
    @inlinable
    package func derive<State, Output>(
        keeping initial: @escaping @autoclosure () -> State,
        receive: @escaping (inout State, Value, Observable<Output>) throws -> Void,
        end: @escaping (inout State, End, Observable<Output>) throws -> Void = { $2.finish($1) }
    ) -> Observable<Output> {
        Observable<Output> { output in
            let state = Cell(initial())
            output.listen(
                to: self,
                receive: { value in output.attempt { try receive(&state.value, value, output) } },
                end: { ending in output.attempt { try end(&state.value, ending, output) } })
        }
    }
}
