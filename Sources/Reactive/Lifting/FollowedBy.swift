extension Observable {
    /// One observable after another: this one, and at each end what `next` says follows it. Where nothing does, that is the end.
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
                            // In order of height, what follows begins when this end has come to all. As it comes, it begins at once, as in
                            // ReactiveX; where the source ended while it was begun, right after that.
                            if following.value == nil { output.finish(end) } else { graph.schedule(joint) }
                        }
                    })
            }
            if graph.order == .onArrival { graph.schedule(joint) } else { joint.run() }
        }
    }
}
