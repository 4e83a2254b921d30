/// The delays before successive retries. The last delay repeats without end.
struct RetryDelays {
    /// The delays before an action that the journal could not store is sent again.
    static let forActions = RetryDelays([1, 2, 5, 15, 30])
    /// The delays before an effect that failed is started again.
    static let forEffects = RetryDelays([1, 2, 5, 15, 60])

    private let seconds: [Int]

    private init(_ seconds: [Int]) {
        self.seconds = seconds
    }

    /// The delay after `failures` earlier failures in a row.
    subscript(failures: Int) -> Duration { .seconds(seconds[min(failures, seconds.count - 1)]) }
}
