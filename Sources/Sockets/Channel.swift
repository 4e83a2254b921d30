/// A receiver of a descriptor's events.
package protocol Channel: AnyObject {
    /// Handles the events of the descriptor.
    func ready(_ readiness: Readiness)
}

/// The events of a descriptor.
package struct Readiness: OptionSet, Sendable {
    /// The event bits, in epoll's encoding.
    package let rawValue: UInt32

    /// Creates a set from epoll's event bits.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Data or a connection can be read.
    package static let readable = Readiness(rawValue: 0x001)
    /// The descriptor accepts writes.
    package static let writable = Readiness(rawValue: 0x004)
    /// The descriptor has an error.
    package static let failed = Readiness(rawValue: 0x008)
    /// Both directions are closed.
    package static let hungUp = Readiness(rawValue: 0x010)
    /// The peer has closed its sending direction.
    package static let ended = Readiness(rawValue: 0x2000)

    /// True if a read brings something: data, or the end.
    package var hasNews: Bool { rawValue & 0x2011 != 0 }
}

/// The identity of a registered descriptor. A later descriptor with the same number has another serial, so a late event
/// reaches no channel.
package struct Registration: Hashable, Sendable {
    let descriptor: Int32
    /// Never 0.
    package let serial: UInt32

    var packed: UInt64 { UInt64(serial) << 32 | UInt64(UInt32(bitPattern: descriptor)) }

    /// The registration of a descriptor with its serial.
    package init(descriptor: Int32, serial: UInt32) {
        self.descriptor = descriptor
        self.serial = serial
    }

    init(packed: UInt64) {
        self.init(descriptor: Int32(bitPattern: UInt32(truncatingIfNeeded: packed)), serial: UInt32(packed >> 32))
    }
}

/// A set of timers that an event loop runs.
package protocol TimerSource: AnyObject {
    /// The time of the next timer, in nanoseconds of the monotonic clock.
    var next: Int64? { get }
    /// Runs the timers due by `now`.
    func advance(to now: Int64)
}
