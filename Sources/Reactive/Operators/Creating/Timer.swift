extension Observable where Value == Int {
    /// 0 after a duration, and the end.
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
