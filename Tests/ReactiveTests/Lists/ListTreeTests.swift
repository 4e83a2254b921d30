import Reactive
import Testing

/// The persistent tree beside an array.
struct ListTreeTests {
    @Test(arguments: 0..<20)
    func `a tree holds what an array holds after the same writes: Law B12`(seed: UInt64) {
        var dice = Dice(seed: seed)
        var model = Array(0..<Int.random(in: 0...[3, 40, 1_500].randomElement(using: &dice)!, using: &dice))
        var tree = ListTree(model)
        var old: [(tree: ListTree<Unmeasured<Int>>, model: [Int])] = []
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

    /// A measure to test with: it adds up a number that depends on the order of the elements, and counts its additions.
    private struct Digits: ListMeasure {
        final class Note {}
        final class Count {
            var additions = 0
        }

        let count = Count()

        func sum(of elements: [Int]) -> (value: UInt64, power: UInt64) {
            count.additions += elements.count
            return elements.reduce((0, 1)) { ($0.0 &* 31 &+ UInt64(bitPattern: Int64($1)), $0.1 &* 31) }
        }

        func add(_ next: (value: UInt64, power: UInt64), to sum: inout (value: UInt64, power: UInt64)) {
            count.additions += 1
            sum = (sum.value &* next.power &+ next.value, sum.power &* next.power)
        }

        func makeNote() -> AnyObject? { Note() }
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `a write adds up what lies on its way, and versions keep their sums: Law B14`(seed: UInt64) {
        var dice = Dice(seed: seed)
        var model = Array(0..<2_000)
        let measure = Digits()
        var tree = ListTree(model, measure)
        func expected(_ model: [Int]) -> UInt64 { Digits().sum(of: model).value }
        #expect(tree.sum?.value == expected(model))
        var held: [(tree: ListTree<Digits>, model: [Int])] = []
        for step in 0..<200 {
            measure.count.additions = 0
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
            // A path of five nodes, each of which may split or join with a neighbour.
            #expect(measure.count.additions <= 150)
            #expect(tree.sum?.value == expected(model))
            if step % 20 == 0 { held.append((tree, model)) }
        }
        for (tree, model) in held {
            #expect(tree.sum?.value == expected(model))
            #expect(ListTree(model, measure).sum?.value == expected(model), "the sum depends on the shape of the tree")
        }
        #expect(ListTree([], measure).sum == nil)
    }

    @Test func `a leaf keeps its note until its elements change: Law B14`() throws {
        var tree = ListTree(Array(0..<2_000), Digits())
        func notes() -> [ObjectIdentifier: [Int]] {
            var notes: [ObjectIdentifier: [Int]] = [:]
            tree.forEachLeaf { elements, note in
                if let note { notes[ObjectIdentifier(note)] = elements }
            }
            return notes
        }
        // Versions that are held keep their notes alive, so that no identity occurs twice.
        var held: [ListTree<Digits>] = []
        for step in 0..<100 {
            held.append(tree)
            let before = notes()
            #expect(before.values.reduce(0) { $0 + $1.count } == tree.count)
            let place = step * 7_919 % tree.count
            if step % 2 == 0 { tree.remove(at: place) } else { tree.insert(-step, at: place) }
            let after = notes()
            for (note, elements) in after { #expect(before[note] == nil || before[note] == elements) }
            #expect(after.filter { before[$0.key] == nil }.count <= 2)
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
