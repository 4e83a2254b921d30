@testable import Reactive
import Testing

/// One observable with very many listeners.
struct ManyListenersTests {
    /// The order in which the listeners leave.
    enum Order: CaseIterable {
        case asTheyCame
        case lastFirst
        case anyhow

        func of(_ count: Int) -> [Int] {
            var dice = Dice(seed: 7)
            return switch self {
            case .asTheyCame: Array(0..<count)
            case .lastFirst: (0..<count).reversed()
            case .anyhow: (0..<count).shuffled(using: &dice)
            }
        }
    }

    // At O(n) for each leaving listener this would take an hour; a limit in minutes is far from either.
    @Test(.timeLimit(.minutes(2)), arguments: Order.allCases)
    func `a hundred thousand observers leave in any order at a constant cost each: Laws O8, T8`(_ order: Order) {
        let count = 100_000
        let graph = Graph()
        let number = Variable(0)
        var told = 0
        var subscriptions: [Subscription?] = (0..<count).map { _ in number.watch(in: graph) { told += $0 } }
        graph.commit { $0[number] = 1 }
        #expect(told == count)
        for (left, index) in order.of(count).enumerated() {
            subscriptions[index] = nil
            if left == count / 2 { graph.commit { $0[number] = 2 } }
        }
        #expect(told == count + 2 * (count - count / 2 - 1))
        #expect(graph.activeCount == 0)
    }

    @Test(.timeLimit(.minutes(2)), arguments: Order.allCases)
    func `a hundred thousand derivations leave in any order at a constant cost each: Laws O8, T8`(_ order: Order) {
        let count = 100_000
        let graph = Graph()
        let number = Variable(0)
        var told = 0
        var subscriptions: [Subscription?] = (0..<count).map { _ in
            number.map { $0 + 1 }.watch(in: graph) { told += $0 }
        }
        #expect(graph.activeCount == count + 1)
        for index in order.of(count) {
            subscriptions[index] = nil
            // The ended links take no more room than the live ones.
            if number.links.members.count > 2 * number.links.count + 1 {
                Issue.record("\(number.links.members.count) in line")
                return
            }
        }
        #expect(told == count)
        #expect(graph.activeCount == 0)
    }

    @Test(.timeLimit(.minutes(2)))
    func `a hundred thousand observers leave while they are notified: Laws T6, T8`() {
        let count = 100_000
        let graph = Graph()
        let number = Variable(0)
        var subscriptions: [Subscription?] = []
        var told = 0
        for index in 0..<count {
            subscriptions.append(
                number.watch(in: graph) { value in
                    guard value == 1 else { return }
                    told += 1
                    subscriptions[index] = nil
                    subscriptions[count - 1 - index] = nil
                })
        }
        graph.commit { $0[number] = 1 }
        #expect(told == count / 2)
        #expect(graph.activeCount == 0)
    }
}
