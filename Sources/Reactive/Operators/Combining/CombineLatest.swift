/// The bookkeeping of `combineLatest`, independent of the source types: the number of sources without a value.
@usableFromInline
final class CombineLatestInputs<Output> {
    @usableFromInline let inputs: MultiInputOperator<Output>
    /// The number of sources that have not delivered.
    @usableFromInline var missing = 0
    /// True if a source completed without a value, so that the output never delivers.
    @usableFromInline var isHopeless = false
    /// True if a source has delivered since the last output.
    @usableFromInline var isNew = false

    @inlinable
    init(_ inputs: MultiInputOperator<Output>) {
        self.inputs = inputs
    }

    /// Adds a source. The box holds its latest value.
    @inlinable
    func box<Value>(_ source: Observable<Value>) -> Box<Value?> {
        let box = Box<Value?>(nil)
        missing += 1
        inputs.add(
            source,
            receive: { value in
                if box.value == nil { self.missing -= 1 }
                box.value = value
                self.isNew = true
            },
            complete: { if box.value == nil { self.isHopeless = true } })
        return box
    }
}

/// The shared node of every `combineLatest`. `join` adds the sources and returns the function that combines their
/// latest values.
@inlinable
func combineLatestOperator<Output>(
    madeBy maker: StaticString = #function, _ join: @escaping (CombineLatestInputs<Output>) -> () -> Output
) -> Observable<Output> {
    Observable<Output>(madeBy: maker) { output in
        let inputs = MultiInputOperator(for: output)
        let latest = CombineLatestInputs(inputs)
        let value = join(latest)
        inputs.begin {
            if latest.isNew, latest.missing == 0 {
                latest.isNew = false
                output.emit(value())
            }
            inputs.finish(if: inputs.open == 0 || latest.isHopeless)
        }
    }
}

/// Combines the latest values of both sources. It delivers in each turn in which a source delivered, once both have a
/// value. It completes when both have completed, or when one completes without a value.
@inlinable
public func combineLatest<A, B>(_ a: Observable<A>, _ b: Observable<B>) -> Observable<(A, B)> {
    combineLatestOperator { all in
        let a = all.box(a), b = all.box(b)
        return { (a.value!, b.value!) }
    }
}

/// Combines the latest values of three sources.
@inlinable
public func combineLatest<A, B, C>(_ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>) -> Observable<(A, B, C)>
{
    combineLatestOperator { all in
        let a = all.box(a), b = all.box(b), c = all.box(c)
        return { (a.value!, b.value!, c.value!) }
    }
}

/// Combines the latest values of four sources.
@inlinable
public func combineLatest<A, B, C, D>(
    _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>
) -> Observable<(A, B, C, D)> {
    combineLatestOperator { all in
        let a = all.box(a), b = all.box(b), c = all.box(c), d = all.box(d)
        return { (a.value!, b.value!, c.value!, d.value!) }
    }
}

/// Combines the latest values of any number of sources, in their order. Without sources it completes at once.
@inlinable
public func combineLatest<Value>(_ sources: [Observable<Value>]) -> Observable<[Value]> {
    guard !sources.isEmpty else { return .empty() }
    return combineLatestOperator { all in
        let boxes = sources.map(all.box)
        return { boxes.map { $0.value! } }
    }
}
