import Reactive
import Testing

struct MapTests {
    @Test(arguments: [
        ("-1-2-|", "-a-b-|", "^----!"),
        ("---|", "---|", "^--!"),
        ("-1-#", "-a-#", "^--!"),
    ])
    func `each value is transformed`(_ source: String, _ expected: String, _ span: String) {
        for order in [Graph.Order.byHeight, .asItComes] {
            let laboratory = Laboratory(order)
            let source = laboratory.cold(source)
            let recording = laboratory.watch(source.observable.map { $0 == "1" ? "a" : "b" })
            #expect(recording.drawing == expected)
            #expect(source.spans == [span])
        }
    }
}
