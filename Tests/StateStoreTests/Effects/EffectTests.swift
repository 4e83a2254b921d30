import Reactive
import ScriptedOutside
import StateStore
import Testing

struct EffectTests {
    // Law E1
    @Test func `an effect runs while there is work, and performs actions like a client`() throws {
        let stand = try ErrandStand()
        #expect(stand.fetcher.asked.isEmpty)
        try stand.post("errands/send", "milk")
        #expect(stand.fetcher.underWay == ["milk"])
        stand.fetcher.answer("milk")
        try stand.run { stand.journal.asked.count == 2 }
        #expect(try stand.read("errands.done") == "done=[\"milk\"]")
        #expect(stand.fetcher.asked == ["milk"])
        guard case .commits(let commits) = try stand.journal.read(.main, after: 0, limit: 9) else { return }
        #expect(commits.map(\.action) == ["errands/send", "errands/finish"])
    }

    // Law E1
    @Test func `an effect without work is cancelled, and its late results are dropped`() throws {
        let stand = try ErrandStand()
        try stand.post("errands/send", "milk")
        try stand.post("errands/send", "bread")
        stand.settle()
        #expect(stand.fetcher.cancelled == ["milk"] && stand.fetcher.underWay == ["bread"])
        try stand.post("errands/cancel")
        stand.settle()
        #expect(stand.fetcher.underWay.isEmpty)
        #expect(try stand.read("errands.done") == "done=[]")
        #expect(stand.scheduler().count == 0)
    }

    // Law E1
    @Test func `each row of a table has an effect of its own`() throws {
        let stand = try ErrandStand()
        try stand.post("errands/put", "a", 2)
        try stand.post("errands/put", "b", 1)
        #expect(stand.fetcher.underWay == ["a2", "b1"])
        stand.fetcher.answer("a2")
        try stand.run { stand.fetcher.underWay.contains("a1") }
        stand.fetcher.answer("b1")
        stand.fetcher.answer("a1")
        try stand.run { (try? stand.journal.spacesWithWork(after: nil, limit: 1)) == [] }
        #expect(stand.fetcher.asked == ["a2", "b1", "a1"])
        #expect(try stand.read("errands.done").contains("\"a\",\"b\",\"a\""))
    }

    // Law E2
    @Test func `after a restart effects continue from the state, and only spaces with work are loaded`() throws {
        let journal = FaultyJournal()
        let before = try ErrandStand(journal)
        for index in 0..<5 { try before.post("errands/note", "n", in: SpaceName("idle\(index)")!) }
        for index in 0..<200 { try before.post("errands/send", "e\(index)", in: SpaceName("busy\(index)")!) }
        try before.post("chores/send", "sweep", in: .common)
        before.close()

        let after = try ErrandStand(FaultyJournal(journal.kept))
        try after.run { after.fetcher.underWay.count == 201 }
        #expect(after.stores[0].loadedCount == 200)
        #expect(Set(after.fetcher.asked) == Set((0..<200).map { "e\($0)" } + ["sweep"]))
        for url in after.fetcher.asked { after.fetcher.answer(url) }
        try after.run { (try? after.journal.spacesWithWork(after: nil, limit: 1)) == [] }
        // All replicas receive a durable commit of common before it is shown.
        try after.run { (try? after.read("chores.done")) == "done=[\"sweep\"]" }
        #expect(try after.read("errands.done", in: SpaceName("busy7")!) == "done=[\"e7\"]")
        after.close()

        let later = try ErrandStand(FaultyJournal(journal.kept))
        #expect(later.fetcher.asked.isEmpty && later.stores[0].loadedCount == 0)
    }

    // Law E2
    @Test func `a space that cannot be loaded at the start is retried`() throws {
        let journal = FaultyJournal()
        let before = try ErrandStand(journal)
        try before.post("errands/send", "milk")
        before.close()
        let damaged = FaultyJournal(journal.kept)
        damaged.failLoad(of: .main)
        let stand = try ErrandStand(damaged)
        try stand.run { !stand.warnings.all.isEmpty }
        #expect(stand.fetcher.asked.isEmpty)
        stand.scheduler().advance(by: .seconds(11))
        try stand.run { stand.fetcher.underWay == ["milk"] }
    }

    // Law E3
    @Test func `no request is sent because of a commit that is not stored`() throws {
        let stand = try ErrandStand()
        stand.journal.hold()
        let reply = stand.send("errands/send", "milk")
        stand.settle()
        #expect(stand.fetcher.asked.isEmpty)
        stand.journal.failAppends(1)
        stand.journal.release()
        try stand.run { reply.result != nil }
        stand.settle()
        #expect(stand.fetcher.asked.isEmpty)
        try stand.post("errands/send", "bread")
        #expect(stand.fetcher.asked == ["bread"])
    }

    // Law E3
    @Test func `a running effect sees only stored changes`() throws {
        let stand = try ErrandStand()
        try stand.post("errands/send", "milk")
        stand.journal.hold()
        let reply = stand.send("errands/send", "bread")
        stand.settle()
        #expect(stand.fetcher.underWay == ["milk"])
        stand.journal.failAppends(1)
        stand.journal.release()
        try stand.run { reply.result != nil }
        #expect(try stand.read("errands.done") == "done=[]")
        #expect(stand.fetcher.underWay == ["milk"] && stand.fetcher.cancelled.isEmpty)
        stand.fetcher.answer("milk")
        try stand.run { (try? stand.journal.spacesWithWork(after: nil, limit: 1)) == [] }
        #expect(try stand.read("errands.done") == "done=[\"milk\"]")
    }

    // Law E4
    @Test func `a space with work is never unloaded, one without work is`() throws {
        let stand = try ErrandStand()
        stand.stores[0].idleLimit = 0
        try stand.post("errands/send", "milk")
        for index in 0..<5 { try stand.post("errands/note", "n", in: SpaceName("s\(index)")!) }
        #expect(stand.stores[0].loadedCount == 1)
        stand.fetcher.answer("milk")
        try stand.run { stand.stores[0].loadedCount == 0 }
    }

    // Law E5
    @Test func `actions for effects are hidden from clients and refused to them`() throws {
        let stand = try ErrandStand()
        try stand.post("errands/send", "milk")
        #expect(try stand.post("errands/finish", "milk") == "noSuchAction")
        let registry = try Registry([
            Feature(
                "errands", ErrandsState.init, ErrandsService.init, ErrandsViewModel.init,
                effects: { ErrandsEffects($0, $1) })
        ])
        #expect(registry.actions.map(\.name) == ["send", "cancel", "put", "note"])
    }

    // Law E6
    @Test func `an action of an effect that cannot be stored is retried until it is`() throws {
        let stand = try ErrandStand()
        try stand.post("errands/send", "milk")
        stand.journal.failAppends(3)
        stand.fetcher.answer("milk")
        for number in 2...5 {
            try stand.run { stand.journal.asked.count == number }
            try stand.run { stand.scheduler().count == 1 || number == 5 }
            stand.scheduler().advance(by: .seconds(60))
        }
        try stand.run { (try? stand.journal.spacesWithWork(after: nil, limit: 1)) == [] }
        #expect(try stand.read("errands.done") == "done=[\"milk\"]")
        #expect(stand.fetcher.asked == ["milk"])
    }

    // Law E7
    @Test func `a failed effect is restarted after a delay, and others continue`() throws {
        let stand = try ErrandStand()
        try stand.post("errands/put", "a", 1)
        try stand.post("errands/send", "milk")
        stand.fetcher.answer("milk", failing: true)
        stand.settle()
        #expect(stand.warnings.all.count == 1 && stand.warnings.all[0].contains("errands.run in the space main"))
        #expect(stand.fetcher.underWay == ["a1"])
        stand.scheduler().advance(by: .seconds(1))
        #expect(stand.fetcher.underWay == ["a1", "milk"])
        stand.fetcher.answer("milk", "bad")
        stand.settle()
        #expect(stand.warnings.all.count == 2)
        stand.scheduler().advance(by: .seconds(1))
        #expect(stand.fetcher.underWay == ["a1"])
        stand.scheduler().advance(by: .seconds(1))
        stand.fetcher.answer("milk")
        try stand.run { stand.journal.asked.count == 3 }
    }

    // Law E8
    @Test func `the effects of common run once, independent of the number of executors`() throws {
        let stand = try ErrandStand(executors: 2)
        try stand.post("chores/send", "sweep", in: .common)
        stand.settle()
        #expect(stand.fetcher.asked == ["sweep"])
        stand.fetcher.answer("sweep")
        try stand.run { stand.journal.asked.count == 2 }
        #expect(try stand.read("chores.done", in: SpaceName("a")!) == "done=[\"sweep\"]")
    }
}

struct EffectRegistrationTests {
    /// Effects for a variable that is not part of their feature's state.
    struct Astray: Effects {
        let lost: Effect

        init(_ errands: ErrandsState, _ outside: Outside) {
            lost = Effect(for: Variable<String?>(nil)) { _ in .just(0) }
        }
    }

    struct Idle: Effects {}

    // Law R1
    @Test func `incorrectly registered effects are reported at registration`() {
        func fault(_ effects: @escaping @Sendable (ErrandsState, Outside) -> any Effects) -> String? {
            do {
                _ = try Registry([
                    Feature("errands", ErrandsState.init, ErrandsService.init, ErrandsViewModel.init, effects: effects)
                ])
                return nil
            } catch { return error.description }
        }
        #expect(
            fault { Astray($0, $1) } == "errands's effect lost works for something that its own state does not store")
        #expect(fault { _, _ in Idle() } == "errands has effects that store no Effect, so that nothing would be done")
        #expect(fault { ErrandsEffects($0, $1) } == nil)
    }
}
