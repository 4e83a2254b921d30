import Reactive
import Testing

/// The description of a graph for a drawing.
struct DescriptionTests {
    private let graph = Graph()

    private func told(_ node: Node) -> String {
        let upstream = node.upstream.map(told)
        return upstream.isEmpty ? node.operatorName : "\(node.operatorName)(\(upstream.joined(separator: ", ")))"
    }

    @Test func `every operator has the name by which it was written`() {
        let number = Variable(1), rows = Table<Int, Int>()
        let observable = combineLatest(number.map { $0 }.filter { $0 > 0 }, rows.rowCount())
            .map { $0 + $1 }.merge(with: number.scan(0) { $0 + $1 })
        let subscription = observable.watch(in: graph) { _ in }
        #expect(
            told(observable)
                == "merge(map(combineLatest(filter(map(variable)), removeDuplicates(fold(table)))), scan(variable))")
        subscription.cancel()
    }

    @Test func `operators with nodes of their own have their names too`() {
        let number = Variable(1), other = Variable(2)
        let observable = zip(number.withLatestFrom(other), number.append(other).retry(1), number.catch { _ in other })
        let subscription = observable.watch(in: graph) { _ in }
        #expect(told(observable) == "zip(withLatestFrom(variable, variable), retry(append(variable)), catch(variable))")
        subscription.cancel()
    }

    @Test func `an inactive node has no sources`() {
        let number = Variable(1)
        let observable = number.map { $0 }
        #expect(told(observable) == "map")
        let subscription = observable.watch(in: graph) { _ in }
        #expect(told(observable) == "map(variable)")
        subscription.cancel()
        #expect(told(observable) == "map")
    }
}
