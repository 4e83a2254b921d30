/// What `combineLatest` knows of its sources, whatever their types: how many have delivered nothing yet.
@usableFromInline
final class Latest<Output> {
    @usableFromInline let meeting: Meeting<Output>
    /// Sources that have not delivered yet,
    @usableFromInline var missing = 0
    /// and whether one of them never will.
    @usableFromInline var isHopeless = false
    /// Whether any has delivered since the output last did.
    @usableFromInline var isNew = false

    @inlinable
    init(_ meeting: Meeting<Output>) {
        self.meeting = meeting
    }

    /// Adds a source; the cell holds its latest value.
    @inlinable
    func cell<Value>(_ source: Observable<Value>) -> Cell<Value?> {
        let cell = Cell<Value?>(nil)
        missing += 1
        meeting.add(
            source,
            receive: { value in
                if cell.value == nil { self.missing -= 1 }
                cell.value = value
                self.isNew = true
            },
            complete: { if cell.value == nil { self.isHopeless = true } })
        return cell
    }
}

/// The one node behind every `combineLatest`. `join` adds the sources and says how their latest values become one.
@inlinable
func latest<Output>(
    madeBy maker: StaticString = #function, _ join: @escaping (Latest<Output>) -> () -> Output
) -> Observable<Output> {
    Observable<Output>(madeBy: maker) { output in
        let meeting = Meeting(for: output)
        let latest = Latest(meeting)
        let value = join(latest)
        meeting.begin {
            if latest.isNew, latest.missing == 0 {
                latest.isNew = false
                output.emit(value())
            }
            meeting.finish(if: meeting.open == 0 || latest.isHopeless)
        }
    }
}

/// The latest values of both, from when both have delivered on, whenever one or both have delivered. Completes when both have, or when one has
/// without a value.
@inlinable
public func combineLatest<A, B>(_ a: Observable<A>, _ b: Observable<B>) -> Observable<(A, B)> {
    latest { all in
        let a = all.cell(a), b = all.cell(b)
        return { (a.value!, b.value!) }
    }
}

/// The latest values of three.
@inlinable
public func combineLatest<A, B, C>(_ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>) -> Observable<(A, B, C)> {
    latest { all in
        let a = all.cell(a), b = all.cell(b), c = all.cell(c)
        return { (a.value!, b.value!, c.value!) }
    }
}

/// The latest values of four.
@inlinable
public func combineLatest<A, B, C, D>(
    _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>
) -> Observable<(A, B, C, D)> {
    latest { all in
        let a = all.cell(a), b = all.cell(b), c = all.cell(c), d = all.cell(d)
        return { (a.value!, b.value!, c.value!, d.value!) }
    }
}

/// The latest values of any number, in their order; of none, an observable that completes.
@inlinable
public func combineLatest<Value>(_ sources: [Observable<Value>]) -> Observable<[Value]> {
    guard !sources.isEmpty else { return .empty() }
    return latest { all in
        let cells = sources.map(all.cell)
        return { cells.map { $0.value! } }
    }
}
