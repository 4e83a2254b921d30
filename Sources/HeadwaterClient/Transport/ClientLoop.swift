import Dispatch
import Foundation

/// The order, the time and the chance of a client.
package protocol ClientLoop: Sendable {
    /// The time of a clock that does not jump.
    var now: Duration { get }
    /// The seconds since 1970.
    var timeOfDay: Double { get }
    /// A random number.
    func random() -> UInt64
    /// Runs work later, one piece at a time, in the order of the calls.
    func run(_ work: @escaping @Sendable () -> Void)
    /// Runs work after a pause.
    func run(after pause: Duration, _ work: @escaping @Sendable () -> Void)
}

/// The loop of an app: a queue of Dispatch.
struct DispatchLoop: ClientLoop {
    private let queue = DispatchQueue(label: "headwater.client")
    private let start = ContinuousClock.now

    var now: Duration { start.duration(to: ContinuousClock.now) }
    var timeOfDay: Double { Date().timeIntervalSince1970 }
    func random() -> UInt64 { UInt64.random(in: 0...UInt64.max) }
    func run(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    func run(after pause: Duration, _ work: @escaping @Sendable () -> Void) {
        let (seconds, attoseconds) = pause.components
        queue.asyncAfter(deadline: .now() + Double(seconds) + Double(attoseconds) / 1e18, execute: work)
    }
}
