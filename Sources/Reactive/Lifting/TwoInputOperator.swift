/// The input of a two-input operator that is subscribed first, and processed first within a turn.
@usableFromInline
package enum Precedence {
    /// The source, whose values are delivered.
    case source
    /// The side input, which decides when or which values are delivered.
    case side
}

extension Observable {
    /// Makes an operator from a source and a side input. The side input decides when or which values of the source are
    /// delivered.
    @inlinable
    package func lift<Side, State, Output>(
        with side: Observable<Side>, first: Precedence, keeping initial: @escaping @autoclosure () -> State,
        madeBy maker: StaticString = #function,
        receive: @escaping (inout State, Value, Observable<Output>) throws -> Void,
        receiveSide: @escaping (inout State, Side, Observable<Output>) throws -> Void,
        endSide: @escaping (inout State, End, Observable<Output>) throws -> Void
    ) -> Observable<Output> {
        Observable<Output>(madeBy: maker) { output in
            guard let graph = unsafe output.graph else { return }
            let state = Box(initial()), values = Box(Fifo<Value>()), sides = Box(Fifo<Side>())
            let end = Box(End?.none), sideEnd = Box(End?.none)
            let joint = output.makeJoint()
            let runSource = {
                while output.isActive, let value = values.value.popFirst() {
                    output.attempt { try receive(&state.value, value, output) }
                }
            }
            let runSide = {
                while output.isActive, let value = sides.value.popFirst() {
                    output.attempt { try receiveSide(&state.value, value, output) }
                }
                guard output.isActive, let ending = sideEnd.value else { return }
                sideEnd.value = nil
                if case .failed = ending { return output.finish(ending) }
                output.attempt { try endSide(&state.value, ending, output) }
            }
            joint.run = {
                if first == .side { runSide() }
                runSource()
                if first == .source { runSide() }
                if let ending = end.value { output.finish(ending) }
            }
            let listenToSource = {
                _ = output.listen(
                    to: self,
                    receive: { value in
                        values.value.append(value)
                        graph.schedule(joint)
                    },
                    end: { ending in
                        end.value = ending
                        graph.schedule(joint)
                    })
            }
            if first == .source { listenToSource() }
            output.listen(
                to: side, isSideInput: true,
                receive: { value in
                    sides.value.append(value)
                    graph.schedule(joint)
                },
                end: { ending in
                    sideEnd.value = ending
                    graph.schedule(joint)
                })
            if first == .side { listenToSource() }
        }
    }
}
