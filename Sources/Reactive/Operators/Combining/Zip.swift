/// The bookkeeping of `zip`, independent of the source types: the number of sources without a waiting value.
@usableFromInline
final class ZipInputs<Output> {
    @usableFromInline let inputs: MultiInputOperator<Output>
    /// The number of sources without a waiting value.
    @usableFromInline var missing = 0
    /// A test for each source: true if it has completed and no value of it waits.
    @usableFromInline var isOver: [() -> Bool] = []

    @inlinable
    init(_ inputs: MultiInputOperator<Output>) {
        self.inputs = inputs
    }

    /// Adds a source. The returned closure removes and returns its first waiting value.
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

/// The shared node of every `zip`. `join` adds the sources and returns the function that combines one value of each.
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

/// Pairs the first values of both sources, then the second, and so on. A value waits until the other source has
/// delivered its counterpart. It completes when a source has completed and none of its values waits.
@inlinable
public func zip<A, B>(_ a: Observable<A>, _ b: Observable<B>) -> Observable<(A, B)> {
    zipOperator { all in
        let a = all.queue(a), b = all.queue(b)
        return { (a(), b()) }
    }
}

/// Combines the first values of three sources, then the second, and so on.
@inlinable
public func zip<A, B, C>(_ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>) -> Observable<(A, B, C)> {
    zipOperator { all in
        let a = all.queue(a), b = all.queue(b), c = all.queue(c)
        return { (a(), b(), c()) }
    }
}

/// Combines the first values of four sources, then the second, and so on.
@inlinable
public func zip<A, B, C, D>(
    _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>
) -> Observable<(A, B, C, D)> {
    zipOperator { all in
        let a = all.queue(a), b = all.queue(b), c = all.queue(c), d = all.queue(d)
        return { (a(), b(), c(), d()) }
    }
}

/// Combines the first values of any number of sources, in their order, then the second, and so on. Without sources it
/// completes at once.
@inlinable
public func zip<Value>(_ sources: [Observable<Value>]) -> Observable<[Value]> {
    guard !sources.isEmpty else { return .empty() }
    return zipOperator { all in
        let queues = sources.map(all.queue)
        return { queues.map { $0() } }
    }
}
