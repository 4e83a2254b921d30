import CLinux
import Glibc

/// One thread's way of waiting for everything at once: descriptors, jobs of other threads, times.
///
/// A turn collects what has happened, has it dealt with, and then has everything flushed that was gathered meanwhile.
public final class EventLoop: @unchecked Sendable {
    // Sendable because everything but its jobs, which are locked, is touched by the thread only that runs it.

    /// How many events are taken from the system at once.
    static let eventsLimit = 512

    private let poll: Int32
    private let bell: Int32
    /// The monotonic clock, in nanoseconds, or the clock of a test.
    public let time: @Sendable () -> Int64
    private let jobs = Lock(Jobs())
    private var events = [epoll_event](repeating: epoll_event(), count: eventsLimit)
    private var channels: [(serial: UInt32, channel: (any Channel)?)] = []
    private var serial: UInt32 = 0
    private var isStopped = false

    /// The time at which this turn began.
    public private(set) var now: Int64
    /// What has to be done at certain times.
    public var clockworks: [any Clockwork] = []
    /// What is to be done at the end of each turn, in this order.
    public var endings: [() -> Void] = []
    /// Whether that is being done.
    public private(set) var isEndingTurn = false

    /// A loop, which waits for nothing yet.
    public init(time: @escaping @Sendable () -> Int64 = { MonotonicClock.now }) throws(SystemFailure) {
        self.time = time
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard poll >= 0 else { throw SystemFailure("make an event loop") }
        bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard bell >= 0 else {
            let failure = SystemFailure("make an event loop's bell")
            close(poll)
            throw failure
        }
        now = time()
        var event = epoll_event()
        event.events = Readiness.readable.rawValue
        event.data.u64 = UInt64.max
        epoll_ctl(poll, EPOLL_CTL_ADD, bell, &event)
    }

    deinit {
        close(bell)
        close(poll)
    }

    // MARK: Descriptors

    /// How a descriptor's events are told.
    public enum Trigger: Sendable {
        /// Once each time something changes; whoever hears of it reads or writes until nothing more can be.
        case onChange
        /// For as long as there is something to be read; of several loops that wait for it, one is woken.
        case whileReadable
    }

    /// Has the events of a descriptor told to a channel, which is kept.
    public func register(_ descriptor: Int32, _ channel: any Channel, _ trigger: Trigger = .onChange) throws(SystemFailure) -> Registration
    {
        serial &+= 1
        let registration = Registration(descriptor: descriptor, serial: serial)
        var event = epoll_event()
        event.events =
            switch trigger {
            case .onChange: EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
            case .whileReadable: EPOLLIN.rawValue | EPOLLEXCLUSIVE.rawValue
            }
        event.data.u64 = registration.packed
        guard epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) == 0 else { throw SystemFailure("wait for a socket") }
        let index = Int(descriptor)
        while channels.count <= index { channels.append((0, nil)) }
        channels[index] = (serial, channel)
        return registration
    }

    /// Tells no more events of a descriptor, which is to be closed or handed on after this.
    public func deregister(_ registration: Registration) {
        let index = Int(registration.descriptor)
        guard channels[index].serial == registration.serial else { return }
        channels[index] = (0, nil)
        epoll_ctl(poll, EPOLL_CTL_DEL, registration.descriptor, nil)
    }

    /// What is registered; nil where it has gone.
    public func channel(of registration: Registration) -> (any Channel)? {
        let index = Int(registration.descriptor)
        guard index < channels.count, channels[index].serial == registration.serial else { return nil }
        return channels[index].channel
    }

    /// Goes through all that is registered.
    public func forEachChannel(_ body: (any Channel) -> Void) {
        for entry in channels { if let channel = entry.channel { body(channel) } }
    }

    // MARK: Jobs

    private struct Jobs {
        var waiting: [@Sendable () -> Void] = []
        /// Whether the loop waits, and has to be woken.
        var isAsleep = false
    }

    /// Has a job done on the loop's thread, after what is being done now. From any thread.
    public func post(_ job: @escaping @Sendable () -> Void) {
        let wakes = jobs.with { jobs in
            jobs.waiting.append(job)
            defer { jobs.isAsleep = false }
            return jobs.isAsleep
        }
        if wakes { eventfd_write(bell, 1) }
    }

    /// Does what was posted up to now.
    private func runJobs() {
        let waiting = jobs.with { jobs in
            jobs.isAsleep = false
            let waiting = jobs.waiting
            if !waiting.isEmpty { jobs.waiting = [] }
            return waiting
        }
        for job in waiting { job() }
    }

    // MARK: Turns

    /// Takes turns until it is stopped, on the thread that calls this.
    public func run() {
        while !isStopped { turn() }
    }

    /// Ends the loop after this turn. On its thread.
    public func stop() {
        isStopped = true
    }

    /// Waits until something happens, and deals with it. A turn that does not wait deals with what has happened already.
    public func turn(waits: Bool = true) {
        let timeout = waits ? timeToSleep() : 0
        let count = Int(uninterrupted { epoll_wait(poll, &events, Int32(Self.eventsLimit), timeout) })
        precondition(count >= 0, "epoll failed: error \(errno)")
        now = time()
        for index in 0..<count { deal(with: events[index]) }
        runJobs()
        for clockwork in clockworks {
            if let next = clockwork.next, next <= now { clockwork.advance(to: now) }
        }
        isEndingTurn = true
        for ending in endings { ending() }
        isEndingTurn = false
    }

    private func deal(with event: epoll_event) {
        let registration = Registration(packed: event.data.u64)
        guard registration.descriptor >= 0 else {
            var count: eventfd_t = 0
            eventfd_read(bell, &count)
            return
        }
        channel(of: registration)?.ready(Readiness(rawValue: event.events))
    }

    /// For how many milliseconds there is nothing to do but what others bring; -1 is for ever.
    private func timeToSleep() -> Int32 {
        let mayWait = jobs.with { jobs in
            jobs.isAsleep = jobs.waiting.isEmpty
            return jobs.isAsleep
        }
        guard mayWait else { return 0 }
        guard let next = clockworks.lazy.compactMap(\.next).min() else { return -1 }
        let left = next - time()
        guard left > 0 else { return 0 }
        // Rounded up, so that nothing is woken before it is due.
        return Int32(min((left + 999_999) / 1_000_000, Int64(Int32.max)))
    }
}
