extension Observable {
    /// Returns this observable. Every observable computes once for any number of observers, so `share` does nothing. It
    /// exists for readers who look for the name.
    @inlinable
    public func share() -> Observable<Value> {
        self
    }

    /// Replays the last `count` values to each later listener.
    @inlinable
    public func share(replay count: Int) -> Observable<Value> {
        ReplayingObservable(self, count: count)
    }
}

/// An observable that replays its last values to new listeners.
@usableFromInline
final class ReplayingObservable<Value>: Observable<Value> {
    @usableFromInline var kept: [Value] = []
    @usableFromInline let limit: Int

    @inlinable
    init(_ source: Observable<Value>, count: Int) {
        limit = count
        super.init(madeBy: "share") { node in
            let replay = unsafe unsafeDowncast(node, to: ReplayingObservable<Value>.self)
            replay.kept = []
            replay.undo = { [unowned replay] in replay.kept = [] }
            replay.listen(to: source) { value in
                if replay.kept.count >= replay.limit, !replay.kept.isEmpty { replay.kept.removeFirst() }
                if replay.limit > 0 { replay.kept.append(value) }
                replay.emit(value)
            }
        }
    }

    @usableFromInline
    override func replay(to listener: (Value) -> Void) {
        for value in kept { listener(value) }
    }
}
