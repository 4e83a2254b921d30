extension Observable {
    /// One observable after another: this one, and at each end what `next` says follows it. Where nothing does, that is the end.
    @inlinable
    package func followed<State>(
        keeping initial: @escaping @autoclosure () -> State, madeBy maker: StaticString = #function,
        by next: @escaping (inout State, End) throws -> Observable<Value>?
    ) -> Observable<Value> {
        Observable(madeBy: maker) { output in
            guard let graph = unsafe output.graph else { return }
            let state = Cell(initial())
            let following = Cell<Observable<Value>?>(self)
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
                            // The source is still ending, and may be what follows: it is begun anew when that is over.
                            if following.value == nil { output.finish(end) } else { graph.postpone(joint) }
                        }
                    })
            }
            joint.run()
        }
    }
}
