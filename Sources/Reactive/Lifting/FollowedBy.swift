extension Observable {
    /// Continues with another observable at each end. `next` returns the observable that follows an end, or nil to
    /// deliver that end.
    @inlinable
    package func followed<State>(
        keeping initial: @escaping @autoclosure () -> State, madeBy maker: StaticString = #function,
        by next: @escaping (inout State, End) throws -> Observable<Value>?
    ) -> Observable<Value> {
        Observable(madeBy: maker) { output in
            guard let graph = unsafe output.graph else { return }
            let state = Box(initial())
            let following = Box<Observable<Value>?>(self)
            let joint = output.makeJoint()
            joint.run = {
                guard let source = following.value else { return }
                following.value = nil
                output.listen(
                    to: source,
                    receive: { output.emit($0) },
                    end: { end in
                        output.attempt {
                            following.value = try next(&state.value, end)
                            // By height, the following observable starts after this end has reached all listeners. On
                            // arrival it starts at once, as in ReactiveX. If the source ended while it started, the
                            // following one starts right after that.
                            if following.value == nil { output.finish(end) } else { graph.schedule(joint) }
                        }
                    })
            }
            if graph.order == .onArrival { graph.schedule(joint) } else { joint.run() }
        }
    }
}
