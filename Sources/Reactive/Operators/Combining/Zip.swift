/// What `zip` knows of its sources, whatever their types: how many have nothing waiting.
@usableFromInline
final class ZipInputs<Output> {
    @usableFromInline let inputs: MultiInputOperator<Output>
    /// Sources of which nothing waits,
    @usableFromInline var missing = 0
    /// and for each, whether it has ended so that nothing will.
    @usableFromInline var isOver: [() -> Bool] = []

    @inlinable
    init(_ inputs: MultiInputOperator<Output>) {
        self.inputs = inputs
    }

    /// Adds a source; taking from it gives the first of its values that were not taken yet.
    @inlinable
    func queue<Value>(_ source: Observable<Value>) -> () -> Value {
        let waiting = Box(Fifo<Value>())
        let hasCompleted = Box(false)
        missing += 1
        inputs.add(
            source,
            receive: { value in
                if waiting.value.isEmpty { self.missing -= 1 }
                waiting.value.append(value)
            },
            complete: { hasCompleted.value = true })
        isOver.append { hasCompleted.value && waiting.value.isEmpty }
        return {
            let value = waiting.value.popFirst()!
            if waiting.value.isEmpty { self.missing += 1 }
            return value
        }
    }
}

/// The one node behind every `zip`. `join` adds the sources and says how a value of each become one.
@inlinable
func zipOperator<Output>(
    madeBy maker: StaticString = #function, _ join: @escaping (ZipInputs<Output>) -> () -> Output
) -> Observable<Output> {
    Observable<Output>(madeBy: maker) { output in
        let inputs = MultiInputOperator(for: output)
        let pairing = ZipInputs(inputs)
        let take = join(pairing)
        inputs.begin {
            while pairing.missing == 0, output.isActive { output.emit(take()) }
            inputs.finish(if: pairing.isOver.contains { $0() })
        }
    }
}

/// The first values of both, the second of both, and so on. What one delivers before the other waits for it. Completes when one has completed
/// of which nothing waits.
@inlinable
public func zip<A, B>(_ a: Observable<A>, _ b: Observable<B>) -> Observable<(A, B)> {
    zipOperator { all in
        let a = all.queue(a), b = all.queue(b)
        return { (a(), b()) }
    }
}

/// The first values of three, the second of three, and so on.
@inlinable
public func zip<A, B, C>(_ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>) -> Observable<(A, B, C)> {
    zipOperator { all in
        let a = all.queue(a), b = all.queue(b), c = all.queue(c)
        return { (a(), b(), c()) }
    }
}

/// The first values of four, the second of four, and so on.
@inlinable
public func zip<A, B, C, D>(
    _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>
) -> Observable<(A, B, C, D)> {
    zipOperator { all in
        let a = all.queue(a), b = all.queue(b), c = all.queue(c), d = all.queue(d)
        return { (a(), b(), c(), d()) }
    }
}

/// The first values of any number, in their order, then the second of each, and so on; of none, an observable that completes.
@inlinable
public func zip<Value>(_ sources: [Observable<Value>]) -> Observable<[Value]> {
    guard !sources.isEmpty else { return .empty() }
    return zipOperator { all in
        let queues = sources.map(all.queue)
        return { queues.map { $0() } }
    }
}
