import Foundation
import Outgoing
import Reactive
import ServerReads
import StateStore
import Synchronization
import Systems
import Testing

extension OutgoingTests {
    /// A checkout with a misbehaving workshop on the network, as clients see it.
    struct FailingWorkshopTests {
        enum Misbehavior: String, CaseIterable, Sendable {
            case hangs, closes, half, garbage, errs, floods, lies
        }

        private static func answer(_ line: ScriptedServer.ServerConnection, _ mood: Misbehavior?) {
            switch mood {
            case .hangs: line.waitForEnd()
            case .closes: break
            case .half: line.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"isAvailable\": tr")
            case .garbage: line.send("\u{1}\u{2}\u{3} what is this\r\n\r\n")
            case .errs: line.answer("out of wood", status: "500 Internal Server Error")
            case .floods:
                let chunk = [UInt8](repeating: 32, count: 1 << 20)
                line.send("HTTP/1.1 200 OK\r\n\r\n")
                for _ in 0..<50 { guard line.send(chunk) else { return } }
            case .lies: line.answer(#"{"isAvailable": "perhaps", "buildEstimate": 7, "shippingOptions": {}}"#)
            case nil:
                line.answer(
                    #"{"isAvailable": true, "buildEstimate": "1 week", "shippingOptions": [{"name": "Ship", "time": "1 day", "price": 5}]}"#
                )
            }
        }

        // Laws E1, G2, G3, G4
        @Test(arguments: Misbehavior.allCases)
        func `a misbehaving workshop ends the checkout visibly, and a recovered one completes it`(
            _ mood: Misbehavior
        ) throws {
            let isIll = Mutex(true)
            let server = try ScriptedServer { line in
                guard line.request() != nil else { return }
                Self.answer(line, isIll.withLock { $0 } ? mood : nil)
            }
            defer { server.close() }
            var configuration = SystemsConfiguration()
            configuration.workshop = server.url
            let outgoing = Outgoing()
            defer { outgoing.close() }
            let home = VirtualExecutor()
            let stores = try Stores(
                Registry(systems(configuration)), executors: [home], writer: InlineJournalWriter(MemoryJournal()),
                fetcher: outgoing, seed: 1,
                clock: { Timestamp(microseconds: 0) })
            func post(_ action: String) {
                stores[0].perform(Call(feature: "luthier", action: action), in: SpaceName("main")!) { _ in }
            }
            var shown: [ViewKey: String] = [:]
            let watch = stores[0].watch(
                ["luthier.checkout", "luthier.checkoutError", "luthier.isLoadingCheckout"], in: SpaceName("main")!
            ) {
                news in
                for (view, frame) in (try? news.get()) ?? [] {
                    shown[view] = (try? frame.value.get()).map { String(decoding: $0.bytes, as: UTF8.self) }
                }
            }
            post("checkout")
            try home.run { shown["luthier.checkoutError"] != "null" }
            #expect(shown["luthier.isLoadingCheckout"] == "false" && shown["luthier.checkout"] == "null")
            #expect((shown["luthier.checkoutError"] ?? "").count > 10)
            isIll.withLock { $0 = false }
            post("checkout")
            try home.run { shown["luthier.checkout"] != "null" }
            #expect(shown["luthier.checkoutError"] == "null" && (shown["luthier.checkout"] ?? "").contains("1 week"))
            withExtendedLifetime(watch) {}
        }
    }
}

/// An executor with a virtual clock that runs a hundred times as fast as real time, only while a test waits.
private final class VirtualExecutor: Executor, @unchecked Sendable {
    // Sendable because access to the jobs holds the condition's lock, and only the test's thread touches the clock.
    private let clock = VirtualScheduler()
    private let condition = NSCondition()
    private var jobs: [@Sendable () -> Void] = []

    struct DeadlineExceeded: Error {}

    var scheduler: any Scheduler { clock }

    func post(_ job: @escaping @Sendable () -> Void) {
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    func run(until isSo: () -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: 60)
        while !isSo() {
            guard Date() < deadline else { throw DeadlineExceeded() }
            let posted = condition.withLock {
                if jobs.isEmpty { _ = condition.wait(until: Date(timeIntervalSinceNow: 0.002)) }
                defer { jobs = [] }
                return jobs
            }
            for job in posted { job() }
            if posted.isEmpty { clock.advance(by: .milliseconds(200)) }
        }
    }
}
