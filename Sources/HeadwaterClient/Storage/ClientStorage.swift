/// A place on the device for the queue and the last values of each subject. The client calls it from one thread at a time.
public protocol ClientStorage: Sendable {
    /// Opens what is kept of a subject; `client` names its queue if there is none yet.
    func open(subject: String, client: String) -> StoredSession
    /// Adds lines to the queue of the subject. They are durable on return.
    func append(_ lines: [[UInt8]], subject: String) throws
    /// The last value of a view; nil if none is kept.
    func value(of view: String, subject: String) -> [UInt8]?
    /// Keeps the last value of a view, or erases it. A value can get lost.
    func keep(_ value: [UInt8]?, of view: String, subject: String)
    /// Erases all of a subject.
    func erase(subject: String)
}

/// The queue of a subject as a device keeps it.
public struct StoredSession: Sendable {
    /// The name of the queue: 128 random bits.
    public var client: String
    /// The lines of the queue, the oldest first.
    public var lines: [[UInt8]]
    /// The reason why the device keeps nothing; nil if it does.
    public var fault: String?

    /// The queue of a subject.
    public init(client: String, lines: [[UInt8]] = [], fault: String? = nil) {
        (self.client, self.lines, self.fault) = (client, lines, fault)
    }
}
