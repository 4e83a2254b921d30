import Platform
import CLinux
import Glibc
@testable import Sockets
import Testing

/// Law H10, for the event loop alone.
@Suite struct EventLoopTests {
    private final class RecordingChannel: Channel {
        var readiness: [Readiness] = []
        var body: () -> Void = {}
        func ready(_ readiness: Readiness) {
            self.readiness.append(readiness)
            body()
        }
    }

    private final class OneShotTimer: TimerSource {
        var next: Int64?
        var gone = 0
        func advance(to now: Int64) {
            next = nil
            gone += 1
        }
    }

    private func pair() throws -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    @Test func `jobs from other threads run in order, and a loop without jobs sleeps`() throws {
        let loop = try EventLoop()
        let done = Lock<[Int]>([])
        let turns = Lock(0)
        loop.endings = [{ turns.with { $0 += 1 } }]
        var threads: [pthread_t] = []
        let box = Unmanaged.passRetained(NumberPoster(loop, done))
        for _ in 0..<4 {
            var thread = pthread_t()
            pthread_create(
                &thread, nil,
                { argument in
                    if let argument { Unmanaged<NumberPoster>.fromOpaque(argument).takeUnretainedValue().run() }
                    return nil
                }, box.toOpaque())
            threads.append(thread)
        }
        while done.with({ $0.count }) < 4 * NumberPoster.count { loop.turn() }
        for thread in threads { pthread_join(thread, nil) }
        box.release()
        #expect(done.with { $0.sorted() } == (0..<4).flatMap { _ in 0..<NumberPoster.count }.sorted())
        // At most one wakeup remains; after it, the alarm is the next event.
        let alarm = OneShotTimer()
        alarm.next = MonotonicTime.now + 30_000_000
        loop.timers = [alarm]
        let before = turns.with { $0 }
        while alarm.gone == 0 { loop.turn() }
        #expect(turns.with { $0 } - before <= 2)
    }

    /// A job that posts numbers; the numbers of one thread arrive in order.
    private final class NumberPoster: @unchecked Sendable {
        // Sendable because both properties are.
        static let count = 2_000
        private let loop: EventLoop
        private let done: Lock<[Int]>

        init(_ loop: EventLoop, _ done: Lock<[Int]>) {
            self.loop = loop
            self.done = done
        }

        func run() {
            for number in 0..<Self.count { loop.post { [done] in done.with { $0.append(number) } } }
        }
    }

    @Test func `work of the loop posts jobs without waking the loop`() throws {
        let loop = try EventLoop()
        let (one, other) = try pair()
        let channel = RecordingChannel()
        let jobsRun = Lock(0)
        let job: @Sendable () -> Void = { jobsRun.with { $0 += 1 } }
        channel.body = { loop.post(job) }
        loop.endings = [{ if jobsRun.with({ $0 }) < 3 { loop.post(job) } }]
        // The closures and the loop retain each other.
        defer { (channel.body, loop.endings) = ({}, []) }
        _ = try loop.register(one, channel)
        Glibc.write(other, "x", 1)
        // The turns run the job of the channel, then those of the turn endings.
        for _ in 0..<3 { loop.turn() }
        #expect(jobsRun.with { $0 } == 3)
        #expect(loop.ringCount == 0)
        close(one)
        close(other)
    }

    @Test func `a job posted by another thread between the decision to wait and the wait wakes the loop`() throws {
        // The loop asks for the time there, to find how long it may wait for a timer.
        let posting = Lock<[@Sendable () -> Void]>([])
        let loop = try EventLoop {
            if let post = posting.with({ $0.popLast() }) { runOnOtherThread(post) }
            return MonotonicTime.now
        }
        let jobsRun = Lock(0)
        let alarm = OneShotTimer()
        alarm.next = MonotonicTime.now + 60_000_000_000
        loop.timers = [alarm]
        for round in 1...100 {
            posting.with { $0 = [{ loop.post { jobsRun.with { $0 += 1 } } }] }
            loop.turn()
            #expect(jobsRun.with { $0 } == round)
            #expect(loop.ringCount == round)
        }
        #expect(alarm.gone == 0)
    }

    @Test func `an event reaches the channel that owns the descriptor now`() throws {
        let loop = try EventLoop()
        let (one, other) = try pair()
        let (third, fourth) = try pair()
        let first = RecordingChannel()
        let second = RecordingChannel()
        let stale = try loop.register(one, first)
        let replaced = try loop.register(third, second)
        // Both descriptors are ready. The first channel to run closes the other, and a new descriptor takes its number.
        Glibc.write(other, "x", 1)
        Glibc.write(fourth, "x", 1)
        let late = RecordingChannel()
        var isDone = false
        func swap(_ registration: Registration, _ descriptor: Int32) -> () -> Void {
            {
                guard !isDone else { return }
                isDone = true
                loop.deregister(registration)
                // In one step, so that no other thread takes the number in between.
                var ends: [Int32] = [0, 0]
                _ = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends)
                #expect(dup2(ends[0], descriptor) == descriptor)
                close(ends[0])
                _ = try? loop.register(descriptor, late)
            }
        }
        first.body = swap(replaced, third)
        second.body = swap(stale, one)
        // The closures and the loop retain each other.
        defer { (first.body, second.body) = ({}, {}) }
        loop.turn()
        #expect(first.readiness.count + second.readiness.count == 1)
        // The new channel does not receive the old event, but receives its own.
        #expect(late.readiness.isEmpty)
        loop.turn()
        #expect(late.readiness.first?.contains(.writable) == true && late.readiness.first?.contains(.readable) == false)
        #expect(loop.channel(of: stale) == nil || loop.channel(of: replaced) == nil)
    }

    @Test func `the end of the peer's sending direction and its close are reported`() throws {
        let loop = try EventLoop()
        let (one, other) = try pair()
        let heard = RecordingChannel()
        _ = try loop.register(one, heard)
        loop.turn()
        shutdown(other, Int32(SHUT_WR))
        loop.turn()
        #expect(heard.readiness.last?.contains(.ended) == true)
        close(other)
        loop.turn()
        #expect(heard.readiness.last?.contains(.hungUp) == true)
        close(one)
    }

    @Test func `a socket reports the bytes moved and each failure`() throws {
        let (one, other) = try pair()
        let socket = Socket(descriptor: one)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 1)
        defer { room.deallocate() }
        #expect(socket.read(into: room) == .wouldBlock)
        #expect(Socket(descriptor: other).write([1, 2, 3], from: 1) == .moved(2))
        #expect(socket.read(into: room) == .moved(2) && Array(room[..<2]) == [2, 3])
        let large = [UInt8](repeating: 7, count: 1 << 22)
        guard case .moved(let count) = socket.write(large), count < large.count else { return #expect(Bool(false)) }
        #expect(socket.write(large, from: count) == .wouldBlock)
        close(other)
        // The kernel reports a reset once.
        #expect([.ended, .broken].contains(socket.read(into: room)))
        #expect(socket.write([1]) == .broken)
        socket.close()
    }

    @Test func `a listener takes a free port, reports a port in use, and refuses connections at the end`() throws {
        let listener = try ListeningSocket(host: "127.0.0.1", port: 0)
        #expect(listener.port > 0)
        #expect(throws: SystemFailure.self) { try ListeningSocket(host: "127.0.0.1", port: listener.port) }
        guard case .none = listener.accept() else { return #expect(Bool(false)) }
        listener.refuseAll()
        guard case .none = listener.accept() else { return #expect(Bool(false)) }
        listener.close()
        #expect(ListeningSocket.isAddress("::1") && !ListeningSocket.isAddress("example"))
    }
}

/// Runs `body` on a thread of its own and waits for it.
private func runOnOtherThread(_ body: @escaping @Sendable () -> Void) {
    final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    var thread = pthread_t()
    pthread_create(
        &thread, nil,
        { argument in
            if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
            return nil
        }, Unmanaged.passRetained(Body(body)).toOpaque())
    pthread_join(thread, nil)
}
