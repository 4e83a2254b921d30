@testable import HeadwaterClient
import JSON
import ServiceInProcess
import Testing

@Suite struct ActionLineTests {
    private func action(_ id: String, space: String = "main") -> QueuedAction {
        QueuedAction(id: id, space: space, name: "a/b", input: Array("{}".utf8))
    }

    private func line(_ ids: [String]) -> ActionLine {
        ActionLine(client: "disk", processClient: "process", ids.map { .added(action($0)) })
    }

    private func fly(_ line: inout ActionLine, stopsAtRefusal: Bool = false) -> [String] {
        line.ready(stopsAtRefusal: stopsAtRefusal).map { action in
            if action.number == nil { line.apply(line.numbering(action)) }
            line.setFlying(action.id, true)
            let flying = line[action.id]
            return "\(action.id)\(flying?.number ?? 0);\(flying.map { line.answeredNumber(before: $0) } ?? 0)"
        }
    }

    @Test func `four actions of a space are under way, in order, and each space has its own`() {
        var line = line(["a", "b", "c", "d", "e"])
        line.apply(.added(action("x", space: "other")))
        #expect(fly(&line) == ["a1;0", "b2;0", "c3;0", "d4;0", "x1;0"])
        #expect(fly(&line).isEmpty)
        line.setFlying("b", false)
        line.apply(.over(id: "b"))
        #expect(fly(&line) == ["e5;0"], "a is still without an answer")
        line.setFlying("a", false)
        line.apply(.over(id: "a"))
        line.apply(.added(action("f")))
        #expect(fly(&line) == ["f6;2"])
    }

    @Test func `a refused action holds the others back only if the app wants that`() {
        let refusal = QueueRecord.refused(id: "a", ServerProblem(type: "/problems/conflict", detail: "no"))
        for stops in [false, true] {
            var line = line(["a"])
            _ = fly(&line)
            line.setFlying("a", false)
            line.apply(refusal)
            line.apply(.added(action("b")))
            #expect(fly(&line, stopsAtRefusal: stops) == (stops ? [] : ["b2;1"]))
            #expect(line.counts.waiting == 1 && line.counts.refused == 1)
        }
    }

    @Test func `an action that the device could not keep is of another queue, and waits for the one before it`() {
        var line = line(["a", "b"])
        let late = line.takeBack([.added(action("b")), .over(id: "z")])
        #expect(late.count == 1)
        #expect(fly(&line) == ["a1;0"])
        line.setFlying("a", false)
        line.apply(.over(id: "a"))
        line.apply(.added(action("c")))
        #expect(fly(&line) == ["b1;0"] && line["b"]?.client == "process")
        line.setFlying("b", false)
        line.apply(.over(id: "b"))
        #expect(fly(&line) == ["c2;1"] && line["c"]?.client == "disk")
    }

    @Test func `a number that was not kept is used by the same action again`() {
        var line = line(["a", "b"])
        let records = line.ready(stopsAtRefusal: false).map { action in
            let record = line.numbering(action)
            line.apply(record)
            return record
        }
        #expect(line.takeBack(records).isEmpty)
        #expect(fly(&line) == ["a1;0", "b2;0"])
    }

    // Law CLIENT1
    @Test func `a queue is made anew from its records, at every step of random ones`() {
        var entropy = Entropy(seed: 11)
        var (line, log): (ActionLine, [QueueRecord]) = (line([]), [])
        func step(_ record: QueueRecord) {
            line.apply(record)
            log.append(record)
        }
        for index in 0..<400 {
            switch entropy.below(4) {
            case 0, 1: step(.added(action("\(index)", space: entropy.isOne(in: 2) ? "main" : "b")))
            case 2:
                for action in line.ready(stopsAtRefusal: false) where action.number == nil {
                    step(line.numbering(action))
                }
            default:
                guard let action = line.actions.first(where: { $0.number != nil }) else { continue }
                step(
                    entropy.isOne(in: 3)
                        ? .refused(id: action.id, ServerProblem(type: "t", detail: "d")) : .over(id: action.id))
            }
            for records in [log, line.records] {
                let read = records.compactMap { QueueRecord($0.json) }
                let again = ActionLine(client: "disk", processClient: "process", read)
                #expect(again.actions.map(\.id) == line.actions.map(\.id) && again.numbers == line.numbers)
                #expect(again.actions.map(\.number) == line.actions.map(\.number))
                #expect(again.actions.map(\.stage) == line.actions.map(\.stage))
            }
        }
    }
}
