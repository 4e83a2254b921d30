import Ground
import Platform
import CLinux
import Glibc

/// An epoll loop of one thread: it waits for descriptors, for jobs from other threads and for timers.
///
/// A turn collects events, handles them, runs jobs and timers, and then runs the turn endings, which flush gathered
/// output.
package final class EventLoop: @unchecked Sendable {
    // Sendable because only the loop's thread touches its state, except the jobs, which a lock guards.

    /// The maximum number of events per `epoll_wait`.
    static let eventsLimit = 512

    private let poll: Int32
    private let bell: Int32
    /// The monotonic clock, in nanoseconds, or the clock of a test.
    package let time: @Sendable () -> Int64
    private let jobs = Lock(Jobs())
    /// The number of posts that had to wake the loop by its descriptor.
    var ringCount: Int { jobs.with { $0.rings } }
    private var events = [epoll_event](repeating: epoll_event(), count: eventsLimit)
    /// The channel of each descriptor, and the serial of its registration.
    private var channels: [(any Channel)?] = []
    private var serials: [UInt32] = []
    private var serial: UInt32 = 0
    /// The channels without a descriptor, by their registrations.
    private var innerChannels: [Registration: any Channel] = [:]
    private var isStopped = false

    /// The time at which this turn began handling events.
    package private(set) var now: Int64
    /// The timers of this loop.
    package var timers: [any TimerSource] = []
    /// The closures that run at the end of each turn, in this order.
    package var endings: [() -> Void] = []
    /// The steps that each piece of work may take: an event, a job, a timer, a turn ending.
    package var workLimit = Int.max
    /// The bytes of values that one event, job or timer may make.
    package var byteLimit = Int.max
    /// True while the turn endings run.
    package private(set) var isEndingTurn = false

    /// Creates a loop without channels. `time` is the clock of its timers, in nanoseconds.
    package init(time: @escaping @Sendable () -> Int64 = { MonotonicTime.now }) throws(SystemFailure) {
        self.time = time
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard poll >= 0 else { throw SystemFailure("create an event loop") }
        bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard bell >= 0 else {
            let failure = SystemFailure("create an event loop's wakeup descriptor")
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

    /// The condition under which a descriptor reports events.
    package enum Trigger: Sendable {
        /// Edge-triggered: once per change. The channel must read or write until the call would block.
        case onChange
        /// Level-triggered: while data can be read. If several loops wait for the descriptor, one wakes.
        case whileReadable
    }

    /// Delivers the events of a descriptor to a channel, which the loop retains.
    package func register(
        _ descriptor: Int32, _ channel: any Channel, _ trigger: Trigger = .onChange
    ) throws(SystemFailure) -> Registration {
        serial = max(1, serial &+ 1)
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
        while channels.count <= index {
            channels.append(nil)
            serials.append(0)
        }
        (channels[index], serials[index]) = (channel, serial)
        return registration
    }

    /// Registers a channel without a descriptor, which has timers only.
    package func register(_ channel: any Channel) -> Registration {
        serial = max(1, serial &+ 1)
        let registration = Registration(descriptor: Socket.none.descriptor, serial: serial)
        innerChannels[registration] = channel
        return registration
    }

    /// Stops the delivery of events. Call it before the descriptor is closed or moved to another loop.
    package func deregister(_ registration: Registration) {
        let index = Int(registration.descriptor)
        guard index >= 0 else { return innerChannels[registration] = nil }
        guard serials[index] == registration.serial else { return }
        (channels[index], serials[index]) = (nil, 0)
        epoll_ctl(poll, EPOLL_CTL_DEL, registration.descriptor, nil)
    }

    /// Returns the registered channel, or nil if it was deregistered.
    package func channel(of registration: Registration) -> (any Channel)? {
        let index = Int(registration.descriptor)
        guard index >= 0 else { return innerChannels[registration] }
        guard index < serials.count, serials[index] == registration.serial else { return nil }
        return channels[index]
    }

    /// Calls `body` with every registered channel.
    package func forEachChannel(_ body: (any Channel) -> Void) {
        for channel in channels { if let channel { body(channel) } }
        for channel in innerChannels.values { body(channel) }
    }

    // MARK: Jobs

    private struct Jobs {
        var waiting: [@Sendable () -> Void] = []
        /// True from the decision to wait until `epoll_wait` returns: a post in between must wake the loop.
        var isAsleep = false
        var rings = 0
    }

    /// Schedules a job on the loop's thread, after the current work. Thread-safe.
    package func post(_ job: @escaping @Sendable () -> Void) {
        let wakes = jobs.with { jobs in
            jobs.waiting.append(job)
            guard jobs.isAsleep else { return false }
            jobs.isAsleep = false
            jobs.rings += 1
            return true
        }
        if wakes { eventfd_write(bell, 1) }
    }

    /// Runs the jobs that are queued at the call.
    private func runJobs() {
        let waiting = jobs.with { jobs in
            let waiting = jobs.waiting
            if !waiting.isEmpty { jobs.waiting = [] }
            return waiting
        }
        for job in waiting {
            WorkAllowance.begin(workLimit, bytes: byteLimit)
            job()
        }
    }

    // MARK: Turns

    /// Runs turns on the calling thread until `stop` is called.
    package func run() {
        while !isStopped { turn() }
    }

    /// Ends the loop after this turn. Call it on the loop's thread.
    package func stop() {
        isStopped = true
    }

    /// Drops the waiting jobs, the timers and the turn endings. They may own the loop, so its owner calls this at the end.
    package func releaseWork() {
        // The jobs are released after the lock, because their ends may post others.
        let waiting = jobs.with { jobs in
            defer { jobs.waiting = [] }
            return jobs.waiting
        }
        timers = []
        endings = []
        withExtendedLifetime(waiting) {}
    }

    /// Waits for events and runs one turn. Without `waits` the turn handles only events that are there already.
    package func turn(waits: Bool = true) {
        let timeout = waits ? timeToSleep() : 0
        let count = Int(uninterrupted { epoll_wait(poll, &events, Int32(Self.eventsLimit), timeout) })
        precondition(count >= 0, "epoll failed: error \(errno)")
        // A post from now on needs no wakeup: the loop looks for waiting jobs before it waits again.
        if waits { jobs.with { $0.isAsleep = false } }
        now = time()
        for index in 0..<count {
            WorkAllowance.begin(workLimit, bytes: byteLimit)
            deal(with: events[index])
        }
        runJobs()
        for timer in timers {
            guard let next = timer.next, next <= now else { continue }
            WorkAllowance.begin(workLimit, bytes: byteLimit)
            timer.advance(to: now)
        }
        isEndingTurn = true
        for ending in endings {
            WorkAllowance.begin(workLimit, bytes: byteLimit)
            ending()
        }
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

    /// Returns the time until the next timer in milliseconds; 0 if jobs wait, -1 if there is no timer.
    private func timeToSleep() -> Int32 {
        let mayWait = jobs.with { jobs in
            jobs.isAsleep = jobs.waiting.isEmpty
            return jobs.isAsleep
        }
        guard mayWait else { return 0 }
        guard let next = timers.lazy.compactMap(\.next).min() else { return -1 }
        let left = next - time()
        guard left > 0 else { return 0 }
        // The time is rounded up, so that no timer fires early.
        return Int32(min((left + 999_999) / 1_000_000, Int64(Int32.max)))
    }
}
