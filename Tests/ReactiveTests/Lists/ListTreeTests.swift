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

    /// A memo to test with: the sum of the elements below a node.
    private final class Sum {
        var value = 0
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `memos are computed again only below a change, and versions keep theirs: Law B14`(seed: UInt64) {
        var dice = Dice(seed: seed)
        var model = Array(0..<2_000)
        var tree = ListTree(model)
        var made = 0
        func sum(_ tree: ListTree<Int>) -> Int {
            let make: () -> Sum = {
                made += 1
                return Sum()
            }
            return tree.memo(
                make: make, leaf: { $0.value += $1.reduce(0, +) }, branch: { $0.value += $1.value })?.value ?? 0
        }
        #expect(sum(tree) == model.reduce(0, +))
        var held: [(tree: ListTree<Int>, sum: Int)] = []
        for step in 0..<200 {
            made = 0
            let index = Int.random(in: 0..<model.count, using: &dice)
            switch step % 3 {
            case 0:
                model[index] = step
                tree.replace(at: index, with: step)
            case 1:
                model.insert(step, at: index)
                tree.insert(step, at: index)
            default:
                model.remove(at: index)
                tree.remove(at: index)
            }
            #expect(sum(tree) == model.reduce(0, +))
            // A path of five nodes, each of which may split or join with a neighbour.
            #expect(made <= 10)
            if step % 20 == 0 { held.append((tree, model.reduce(0, +))) }
        }
        made = 0
        for (tree, expected) in held { #expect(sum(tree) == expected) }
        var leaves: [Int] = []
        tree.forEachLeaf { elements, memo in
            leaves += elements
            #expect((memo as? Sum)?.value == elements.reduce(0, +))
        }
        #expect(made == 0 && leaves == model && sum(ListTree<Int>()) == 0)
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
