import Reactive
import Testing

/// The persistent tree beside an array.
struct ListTreeTests {
    @Test(arguments: 0..<20)
    func `a tree holds what an array holds after the same writes: Law B12`(seed: UInt64) {
        var dice = Dice(seed: seed)
        var model = Array(0..<Int.random(in: 0...[3, 40, 1_500].randomElement(using: &dice)!, using: &dice))
        var tree = ListTree(model)
        var old: [(tree: ListTree<Int>, model: [Int])] = []
        // Some runs mostly insert, some mostly remove, so that nodes split and join.
        let weight = Int.random(in: 1...4, using: &dice)
        for step in 0..<400 {
            if model.isEmpty || Int.random(in: 0..<6, using: &dice) < weight {
                let index = Int.random(in: 0...model.count, using: &dice)
                model.insert(step, at: index)
                tree.insert(step, at: index)
            } else if Bool.random(using: &dice) {
                let index = Int.random(in: 0..<model.count, using: &dice)
                #expect(tree.remove(at: index) == model.remove(at: index))
            } else {
                let index = Int.random(in: 0..<model.count, using: &dice)
                model[index] = -step
                tree.replace(at: index, with: -step)
            }
            if step % 5 == 0 { tree.checkInvariants() }
            #expect(tree.count == model.count)
            if step % 40 == 0 { old.append((tree, model)) }
        }
        old.append((tree, model))
        for (tree, model) in old {
            tree.checkInvariants()
            #expect(tree.elements(in: 0..<model.count) == model)
            for _ in 0..<20 {
                let low = Int.random(in: 0...model.count, using: &dice)
                let range = low..<Int.random(in: low...model.count, using: &dice)
                #expect(tree.elements(in: range) == Array(model[range]))
                if low < model.count { #expect(tree[low] == model[low]) }
            }
        }
    }

    @Test(arguments: [0, 1, 31, 32, 33, 500, 20_000])
    func `a search finds the place of every value in few steps: Law B12`(count: Int) {
        let tree = ListTree((0..<count).map { $0 * 2 })
        tree.checkInvariants()
        for value in stride(from: -1, through: count * 2, by: max(1, count / 100)) {
            var steps = 0
            let place = tree.partition {
                steps += 1
                return $0 < value
            }
            #expect(place == min(count, max(0, (value + 1) / 2)))
            #expect(steps <= 24)
        }
    }

    @Test func `emptying a tree from either side and filling it again keeps it balanced: Law B12`() {
        for side in [0, 1] {
            var tree = ListTree(Array(0..<2_000))
            while tree.count > 0 {
                tree.remove(at: side * (tree.count - 1))
                if tree.count % 97 == 0 { tree.checkInvariants() }
            }
            for value in 0..<2_000 { tree.insert(value, at: side * tree.count) }
            tree.checkInvariants()
            #expect(tree[0] == (side == 0 ? 1_999 : 0))
        }
    }
}
