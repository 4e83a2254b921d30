/// The delays before successive retries. The last delay repeats without end.
package struct RetryDelays {
    /// The delays before an action that the journal could not store is sent again.
    package static let forActions = RetryDelays(seconds: [1, 2, 5, 15, 30])
    /// The delays before an effect that failed is started again.
    package static let forEffects = RetryDelays(seconds: [1, 2, 5, 15, 60])
    /// The delays before a question or a message to the owner of a space is sent again.
    package static let forOwners = RetryDelays(
        [.milliseconds(50), .milliseconds(50), .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1)])

    private let delays: [Duration]

    private init(_ delays: [Duration]) {
        self.delays = delays
    }

    private init(seconds: [Int]) {
        self.init(seconds.map { .seconds($0) })
    }

    /// The delay after `failures` earlier failures in a row.
    package subscript(failures: Int) -> Duration { delays[min(failures, delays.count - 1)] }
}
