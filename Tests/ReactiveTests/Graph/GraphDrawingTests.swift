import Reactive
import Testing

struct GraphDrawingTests {
    @Test func `a drawing has each node once, after its sources`() {
        let graph = Graph()
        let (price, quantity) = (Variable(2), Variable(3))
        let total = combineLatest(price, quantity).map { $0 * $1 }
        let text = total.map { "\($0) \"euros\"" }
        #expect(GraphDrawing(of: text).description == "1 map")
        let observation = text.watch(in: graph) { _ in }
        let drawing = GraphDrawing(of: text, total)
        #expect(
            drawing.description == """
                1 variable: 2
                2 variable: 3
                3 combineLatest: (2, 3) ← 1, 2
                4 map: 6 ← 3
                5 map: 6 "euros" ← 4
                """)
        #expect(drawing.nodes.map(\.height) == [0, 0, 1, 1, 1])
        #expect(drawing.mermaid.contains("  n3 --> n4") && drawing.mermaid.contains(#"n5["map: 6 'euros'"]"#))
        graph.commit { $0[price] = 10 }
        #expect(GraphDrawing(of: total).nodes.last?.latest == "30")
        withExtendedLifetime(observation) {}
    }

    @Test func `a deep graph is drawn without a deep stack`() {
        let (graph, count) = (Graph(), Variable(0))
        var node: Observable<Int> = count
        for _ in 0..<2_000 { node = node.map { $0 } }
        let observation = node.watch(in: graph) { _ in }
        #expect(GraphDrawing(of: node).nodes.count == 2_001)
        withExtendedLifetime(observation) {}
    }

    @Test func `nodes, graphs, lists and subscriptions are printed and mirrored in short`() {
        let (graph, table) = (Graph(), Table(["a": 1, "b": 2]))
        let list = table.sorted()
        var latest: RowList<String, Int>?
        let observation = list.watch(in: graph) { latest = $0 }
        for value: Any in [graph, table, list, latest as Any, observation, Variable("x"), Subject<Int>()] {
            var text = ""
            dump(value, to: &text)
            #expect(text.utf8.count < 2_000 && "\(value)".utf8.count < 500, "\(type(of: value))")
        }
        #expect("\(graph)" == "a graph with 2 observed nodes after 1 turns")
        #expect(latest.map { "\($0)" } == "[a: 1, b: 2]")
        #expect("\(Variable(1))" == "variable, not observed")
        observation.cancel()
    }
}
