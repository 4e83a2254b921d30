import Foundation
import HeadwaterClient
import JSON
import Observation
import Reactive
import StateModel
import Testing

/// A file that imports Foundation and Observation beside the model and the client. It compiles only if each name that two
/// modules have can be written with its module, so no type of a module may be called like the module.
@Suite struct CollidingNamesTests {
    @Observable final class Screen {
        var title = "none"
    }

    @Test func `each name that two modules have can be written with its module`() {
        let table = Reactive.Table<String, Int>()
        let exact: JSON.Number = 0.1
        let foreign: Foundation.Decimal = 0.5
        let subject: Reactive.Observable<[Int]> = table.sorted().map { rows in rows.map(\.row) }
        var shown: [[Int]] = []
        let graph = Reactive.Graph()
        let subscription = subject.watch(in: graph, receive: { shown.append($0) })
        graph.commit { (transaction: inout Reactive.Transaction) in transaction[table, "one"] = 1 }
        #expect(shown == [[], [1]] && "\(exact)" == "0.1" && foreign.description == "0.5")
        let scheduler: any Reactive.Scheduler = Reactive.VirtualScheduler()
        #expect(scheduler is Reactive.VirtualScheduler && Screen().title == "none")
        let time = StateModel.Timestamp(seconds: 0)
        #expect(Foundation.Date(timeIntervalSince1970: 0).timeIntervalSince1970 == Double(time.seconds))
        withExtendedLifetime(subscription) {}
    }
}
