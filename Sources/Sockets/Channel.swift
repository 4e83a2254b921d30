/// What a loop tells events of a descriptor.
public protocol Channel: AnyObject {
    /// Something has happened.
    func ready(_ readiness: Readiness)
}

/// What has happened to a descriptor.
public struct Readiness: OptionSet, Sendable {
    /// The events, as epoll names them.
    public let rawValue: UInt32

    /// Events, as epoll names them.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Something can be read.
    public static let readable = Readiness(rawValue: 0x001)
    /// Something can be written.
    public static let writable = Readiness(rawValue: 0x004)
    /// It is broken.
    public static let failed = Readiness(rawValue: 0x008)
    /// Both sides have ended it.
    public static let hungUp = Readiness(rawValue: 0x010)
    /// The other side sends nothing more.
    public static let ended = Readiness(rawValue: 0x2000)
}

/// A descriptor's place in a loop. A later descriptor of the same number has another, so an event that is late finds nobody.
public struct Registration: Hashable, Sendable {
    let descriptor: Int32
    let serial: UInt32

    var packed: UInt64 { UInt64(serial) << 32 | UInt64(UInt32(bitPattern: descriptor)) }

    init(descriptor: Int32, serial: UInt32) {
        self.descriptor = descriptor
        self.serial = serial
    }

    init(packed: UInt64) {
        self.init(descriptor: Int32(bitPattern: UInt32(truncatingIfNeeded: packed)), serial: UInt32(packed >> 32))
    }
}

/// Something that has to be done at certain times.
public protocol Clockwork: AnyObject {
    /// When something has to be done next, in nanoseconds of the monotonic clock.
    var next: Int64? { get }
    /// Does what is due by `now`.
    func advance(to now: Int64)
}
