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
}
