extension Observable where Value == Int {
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
