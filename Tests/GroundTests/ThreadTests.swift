import Ground
import Platform
import Testing

@Suite struct ThreadTests {
    @Test func `a lock lets one thread at a time change its value`() throws {
        let count = Lock(0)
        let work: @Sendable () -> Void = {
            for _ in 0..<10_000 { count.withLock { $0 += 1 } }
        }
        let first = try SystemThread(work)
        let second = try SystemThread(work)
        first.join()
        second.join()
        #expect(count.withLock { $0 } == 20_000)
    }

    @Test func `a signal before the wait ends it, and several are one`() {
        let condition = Condition()
        condition.signal()
        condition.signal()
        #expect(condition.wait() == .signaled)
        #expect(condition.wait(until: MonotonicTime.now) == .timedOut)
    }

    @Test func `a signal of another thread ends the wait`() throws {
        let condition = Condition()
        let thread = try SystemThread { condition.signal() }
        #expect(condition.wait() == .signaled)
        thread.join()
    }

    @Test func `a stopped condition ends every wait`() {
        let condition = Condition()
        condition.stop()
        condition.signal()
        #expect(condition.wait() == .stopped)
        #expect(condition.wait(until: .max / 2) == .stopped)
    }

    @Test func `a thread returns after its closure`() throws {
        let isDone = Lock(false)
        try SystemThread { isDone.withLock { $0 = true } }.join()
        #expect(isDone.withLock { $0 })
    }

    @Test func `the hash is FNV-1a`() {
        #expect(FNV1a().value == 0xCBF2_9CE4_8422_2325)
        #expect(FNV1a("a".utf8).value == 0xAF63_DC4C_8601_EC8C)
        #expect(FNV1a("foobar".utf8).value == 0x8594_4171_F739_67E8)
    }
}
