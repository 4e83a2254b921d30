/// What `combineLatest` knows of its sources, whatever their types: how many have delivered nothing yet.
@usableFromInline
final class CombineLatestInputs<Output> {
    @usableFromInline let inputs: MultiInputOperator<Output>
    /// Sources that have not delivered yet,
    @usableFromInline var missing = 0
    /// and whether one of them never will.
    @usableFromInline var isHopeless = false
    /// Whether any has delivered since the output last did.
    @usableFromInline var isNew = false

    @inlinable
    init(_ inputs: MultiInputOperator<Output>) {
        self.inputs = inputs
    }

    /// Adds a source; the cell holds its latest value.
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

/// The one node behind every `combineLatest`. `join` adds the sources and says how their latest values become one.
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

/// The latest values of both, from when both have delivered on, whenever one or both have delivered. Completes when both have, or when one has
/// without a value.
@inlinable
public func combineLatest<A, B>(_ a: Observable<A>, _ b: Observable<B>) -> Observable<(A, B)> {
    combineLatestOperator { all in
        let a = all.box(a), b = all.box(b)
        return { (a.value!, b.value!) }
    }
}

/// The latest values of three.
@inlinable
public func combineLatest<A, B, C>(_ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>) -> Observable<(A, B, C)> {
    combineLatestOperator { all in
        let a = all.box(a), b = all.box(b), c = all.box(c)
        return { (a.value!, b.value!, c.value!) }
    }
}

/// The latest values of four.
@inlinable
public func combineLatest<A, B, C, D>(
    _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>
) -> Observable<(A, B, C, D)> {
    combineLatestOperator { all in
        let a = all.box(a), b = all.box(b), c = all.box(c), d = all.box(d)
        return { (a.value!, b.value!, c.value!, d.value!) }
    }
}

/// The latest values of any number, in their order; of none, an observable that completes.
@inlinable
public func combineLatest<Value>(_ sources: [Observable<Value>]) -> Observable<[Value]> {
    guard !sources.isEmpty else { return .empty() }
    return combineLatestOperator { all in
        let boxes = sources.map(all.box)
        return { boxes.map { $0.value! } }
    }
}
