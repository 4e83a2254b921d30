import Ground
import Testing

/// Law CALM3: subjects take turns, and the spaces of each.
struct FairQueueTests {
    private func order(_ queue: inout FairQueue<String>) -> [String] {
        var order: [String] = []
        while let next = queue.popFirst() { order.append(next) }
        return order
    }

    @Test func `a subject waits for one element of each other subject`() {
        var queue = FairQueue<String>()
        for number in 1...300 { queue.append("a\(number)", subject: "a", space: "s") }
        queue.append("b1", subject: "b", space: "s")
        queue.append("c1", subject: "c", space: "s")
        queue.append("b2", subject: "b", space: "s")
        #expect(queue.count == 303 && queue.count(of: "a") == 300)
        #expect(order(&queue).prefix(6) == ["a1", "b1", "c1", "a2", "b2", "a3"])
        #expect(queue.count == 0 && queue.count(of: "a") == 0)
    }

    @Test func `the spaces of a subject take turns, and each keeps its order`() {
        var queue = FairQueue<String>()
        for number in 1...3 { queue.append("x\(number)", subject: "a", space: "x") }
        queue.append("y1", subject: "a", space: "y")
        #expect(order(&queue) == ["x1", "y1", "x2", "x3"])
    }

    @Test(arguments: 1...20)
    func `random additions come out once each, in the order of their space`(_ seed: UInt64) {
        var random = seed &* 0x9E37_79B9_7F4A_7C15
        func next(_ count: UInt64) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1
            return Int((random >> 33) % count)
        }
        var (queue, expected, found) = (FairQueue<[Int]>(), [String: [[Int]]](), [String: [[Int]]]())
        func note(_ element: [Int]) { found["\(element[0])/\(element[1])", default: []].append(element) }
        for number in 0..<200 {
            if next(3) == 0 {
                if let element = queue.popFirst() { note(element) }
            } else {
                let (subject, space) = (next(4), next(3))
                queue.append([subject, space, number], subject: "\(subject)", space: "\(space)")
                expected["\(subject)/\(space)", default: []].append([subject, space, number])
            }
        }
        while let element = queue.popFirst() { note(element) }
        #expect(found == expected)
    }
}
