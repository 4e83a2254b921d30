import Reactive
import Testing

struct VariableTests {
    @Test(arguments: [[1], [1, 1], [2, 1], [2, 3, 1]])
    func `a commit that ends with the old value is not delivered: Law V2`(_ writes: [Int]) {
        let graph = Graph()
        let number = Variable(1)
        var computations = 0
        let derived = number.map { value in
            computations += 1
            return value
        }
        let witness = Witness(of: derived, in: graph)
        graph.commit { for value in writes { $0[number] = value } }
        #expect(witness.values == [1])
        #expect(computations == 1)
        graph.checkInvariants()
    }

    @Test func `of several written variables, only the changed ones deliver: Law V2`() {
        let graph = Graph()
        let one = Variable(1), other = Variable(1)
        let ones = Witness(of: one, in: graph), others = Witness(of: other, in: graph)
        graph.commit {
            $0[one] = 1
            $0[other] = 2
        }
        #expect(ones.values == [1])
        #expect(others.values == [1, 2])
    }

    @Test func `a write of an equal value keeps the old one: Law V2`() {
        let graph = Graph()
        let label = Variable(Label(text: "a", note: 1))
        graph.commit { $0[label] = Label(text: "a", note: 2) }
        graph.commit { #expect($0[label].note == 1) }
    }

    /// A value that equals another with the same text, whatever its note.
    private struct Label: Equatable {
        let text: String
        let note: Int
        static func == (one: Label, other: Label) -> Bool { one.text == other.text }
    }

    @Test func `a transaction reads its own writes, and other code does not: Law V3`() {
        let graph = Graph()
        let number = Variable(1), sum = Variable(10)
        let witness = Witness(of: number, in: graph)
        var late: Witness<Int>?
        graph.commit {
            #expect($0[number] == 1)
            $0[number] = 2
            #expect($0[number] == 2)
            $0[number] += 5
            $0[sum] = $0[sum] + $0[number]
            #expect($0[sum] == 17)
            #expect(witness.values == [1])
            late = Witness(of: number, in: graph)
            #expect(late?.values == [])
        }
        #expect(witness.values == [1, 7])
        #expect(late?.values == [7])
        graph.commit { #expect($0[number] == 7 && $0[sum] == 17) }
    }

    @Test func `a listener added within a transaction receives nothing before the commit: Laws V3, T3`() {
        let graph = Graph()
        let number = Variable(1)
        let event = Subject<String>()
        let witness = Witness(of: event.withLatestFrom(number).map { "\($0)\($1)" }, in: graph)
        graph.commit {
            $0[number] = 2
            event.send("a")
            $0[number] = 3
            #expect(witness.values == [])
        }
        #expect(witness.values == ["a3"])
    }

    @Test func `nil is a value like others: Laws V2, V3`() {
        let graph = Graph()
        let name = Variable<String?>("a")
        let witness = Witness(of: name, in: graph)
        graph.commit {
            $0[name] = nil
            #expect($0[name] == nil)
        }
        graph.commit { $0[name] = nil }
        let late = Witness(of: combineLatest(name, name.map { $0 == nil }).map(\.1), in: graph)
        graph.commit { $0[name] = "b" }
        #expect(witness.values == ["a", nil, "b"])
        #expect(late.values == [true, false])
    }

    @Test func `several variables change in one commit and deliver once: Laws T1, T3`() {
        let graph = Graph()
        let numbers = (0..<10).map { Variable($0) }
        let witness = Witness(of: combineLatest(numbers).map { $0.reduce(0, +) }, in: graph)
        graph.commit { for number in numbers { $0[number] += 1 } }
        #expect(witness.values == [45, 55])
    }
}
