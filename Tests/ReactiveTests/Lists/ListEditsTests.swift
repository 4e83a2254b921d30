import Reactive
import Testing

/// The memory of edits for readers that have missed versions.
struct ListEditsTests {
    @Test(arguments: 0..<20)
    func `edits since a version lead from it to the latest, or the version is not remembered: Law B15`(seed: UInt64) {
        var dice = Dice(seed: seed)
        let graph = Graph()
        let table = Table<Int, Int>()
        let limit = [0, 1, 7, 50].randomElement(using: &dice)!
        var memory = ListEdits<Int, Int>(limit: limit)
        var versions: [RowList<Int, Int>] = []
        var remembered = 0
        func watch() -> Subscription {
            table.sorted(by: \.self).watch(in: graph) { list in
                memory.note(list)
                if Bool.random(using: &dice) { memory.note(list) }
                versions.append(list)
                #expect(memory.count <= limit)
            }
        }
        var subscription = watch()
        for step in 0..<200 {
            let key = Int.random(in: 0..<20, using: &dice)
            let row = Int.random(in: 0..<3, using: &dice) == 0 ? nil : Int.random(in: 0..<50, using: &dice)
            graph.commit { transaction in
                transaction[table, key] = row
                if step % 3 == 0 { transaction[table, key + 1] = row }
                if step == 150 { for key in 0..<100 { transaction[table, key] = key } }
            }
            if step == 100 {
                subscription.cancel()
                subscription = watch()
                #expect(memory.edits(since: versions[versions.count - 2].version) == nil)
            }
            let latest = versions[versions.count - 1]
            #expect(memory.edits(since: latest.version)?.isEmpty == true)
            let old = versions[max(0, versions.count - Int.random(in: 1...20, using: &dice))]
            guard old.version != latest.version, let edits = memory.edits(since: old.version) else { continue }
            remembered += 1
            var entries = Array(old)
            for edit in edits { edit.apply(to: &entries) }
            #expect(entries.elementsEqual(latest))
        }
        #expect(remembered >= [0: 0, 1: 0, 7: 5, 50: 60][limit]!)
        withExtendedLifetime(subscription) {}
    }
}
