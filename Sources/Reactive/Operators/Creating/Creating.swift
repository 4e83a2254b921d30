// Sources.

extension Observable {
    /// Completes without a value.
    @inlinable
    public static func empty() -> Observable<Value> {
        Observable { $0.finish(.completed) }
    }

    /// Fails without a value.
    @inlinable
    public static func failed(_ error: any Error) -> Observable<Value> {
        Observable { $0.finish(.failed(error)) }
    }

    /// Delivers no value and does not end.
    @inlinable
    public static func never() -> Observable<Value> {
        Observable { _ in }
    }

    /// Delivers one value, then completes.
    @inlinable
    public static func just(_ value: Value) -> Observable<Value> {
        Observable { output in
            output.emit(value)
            output.finish(.completed)
        }
    }

    /// Delivers the elements of a sequence within one turn, then completes.
    @inlinable
    public static func from<Values: Sequence>(_ values: Values) -> Observable<Value> where Values.Element == Value {
        Observable { output in
            var rest = values.makeIterator()
            while output.isActive, let value = rest.next() { output.emit(value) }
            output.finish(.completed)
        }
    }

    /// Creates an observable with `make` each time it starts, and follows it.
    @inlinable
    public static func deferred(_ make: @escaping () throws -> Observable<Value>) -> Observable<Value> {
        Observable { output in
            output.attempt {
                let source = try make()
                output.listen(to: source, receive: { output.emit($0) }, end: { output.finish($0) })
            }
        }
    }
}

extension Observable where Value == Int {
    /// Delivers 0, 1, 2 and so on, one after each `period`. The times are multiples of the period even if an alarm is
    /// late.
    @inlinable
    public static func interval(_ period: Duration, on scheduler: any Scheduler) -> Observable<Int> {
        Observable { output in
            output.statefulness = .never
            tick(0, at: scheduler.now + period, every: period, on: scheduler, to: output)
        }
    }

    @usableFromInline
    static func tick(
        _ number: Int, at instant: Instant, every period: Duration, on scheduler: any Scheduler,
        to output: Observable<Int>
    ) {
        output.after(instant - scheduler.now, on: scheduler) {
            output.emit(number)
            // The value may have made the last listener leave.
            guard output.isActive else { return }
            tick(number + 1, at: instant + period, every: period, on: scheduler, to: output)
        }
    }

    /// Delivers 0 after a duration, then completes.
    @inlinable
    public static func timer(_ duration: Duration, on scheduler: any Scheduler) -> Observable<Int> {
        Observable { output in
            output.statefulness = .never
            output.after(duration, on: scheduler) {
                output.emit(0)
                output.finish(.completed)
            }
        }
    }
}
