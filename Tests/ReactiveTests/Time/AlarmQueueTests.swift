import Reactive
import Testing

struct AlarmQueueTests {
    /// Returns an alarm that records its name when it fires.
    private func alarm(at nanoseconds: Int64, _ name: Int = 0, _ gone: Box<[Int]> = Box([])) -> Alarm {
        Alarm(at: Instant(nanoseconds: nanoseconds)) { _ in gone.value.append(name) }
    }

    private func goAll(_ queue: AlarmQueue) {
        while let alarm = queue.popFirst(dueBy: Instant(nanoseconds: .max)) { alarm.fire() }
    }

    @Test func `alarms leave the queue by time, and in the order of setting at the same time (Law C1)`() {
        var random = Dice(seed: 7)
        for _ in 0..<200 {
            let queue = AlarmQueue()
            let gone = Box<[Int]>([])
            let times = (0..<40).map { _ in Int64(random.next() % 8) }
            for (name, time) in times.enumerated() { queue.insert(alarm(at: time, name, gone)) }
            #expect(queue.next == times.min().map(Instant.init(nanoseconds:)))
            goAll(queue)
            #expect(gone.value == times.indices.sorted { (times[$0], $0) < (times[$1], $1) })
        }
    }

    @Test func `a cancelled alarm leaves the queue, and the others keep their order (Laws C1, C2)`() {
        var random = Dice(seed: 11)
        for _ in 0..<200 {
            let queue = AlarmQueue()
            let gone = Box<[Int]>([])
            let times = (0..<40).map { _ in Int64(random.next() % 8) }
            let alarms = times.enumerated().map { alarm(at: $1, $0, gone) }
            for alarm in alarms { queue.insert(alarm) }
            let cancelled = Set((0..<20).map { _ in Int(random.next() % 40) })
            for name in cancelled { alarms[name].cancel() }
            #expect(queue.count == 40 - cancelled.count)
            goAll(queue)
            #expect(
                gone.value
                    == times.indices.filter { !cancelled.contains($0) }.sorted { (times[$0], $0) < (times[$1], $1) })
        }
    }

    @Test func `an alarm that is not due stays in the queue (Law C1)`() {
        let queue = AlarmQueue()
        queue.insert(alarm(at: 5))
        #expect(queue.popFirst(dueBy: Instant(nanoseconds: 4)) == nil)
        #expect(queue.popFirst(dueBy: Instant(nanoseconds: 5)) != nil)
        #expect(queue.popFirst(dueBy: Instant(nanoseconds: 5)) == nil)
        #expect(queue.next == nil)
    }

    @Test func `an alarm that was cancelled before it is set takes no room (Law C2)`() {
        let queue = AlarmQueue()
        let cancelled = alarm(at: 5)
        cancelled.cancel()
        queue.insert(cancelled)
        #expect(queue.count == 0)
        #expect(cancelled.isCancelled)
    }

    @Test func `a cancelled alarm does nothing and retains nothing (Law C2)`() {
        let gone = Box<[Int]>([])
        weak var kept: Box<Int>?
        let alarm: Alarm
        do {
            let owned = Box(1)
            kept = owned
            alarm = Alarm(at: .zero) { _ in gone.value.append(owned.value) }
        }
        #expect(kept != nil)
        alarm.cancel()
        alarm.fire()
        #expect(gone.value == [])
        #expect(kept == nil)
    }

    @Test func `an alarm fires once (Law C1)`() {
        let gone = Box<[Int]>([])
        let once = alarm(at: 0, 1, gone)
        once.fire()
        once.fire()
        #expect(gone.value == [1])
    }
}
