import JSON
import StateStore
import Testing

/// Features that documents describe, which come, change and go while the stores run.
struct DeploymentTests {
    private let main = SpaceName.main

    @Test func `a document becomes a feature with actions, views and state`() throws {
        let stand = try DeploymentStand()
        #expect(stand.read("counter.total") == "noSuchView(\"counter.total\")")
        #expect(stand.deploy(["counter": ["label": "one"]]) == "1 features.documents")
        #expect(stand.read("counter.label") == "label=\"one\"")
        #expect(stand.act("counter/add", ["by": 3]) == "1 counter.total")
        #expect(stand.act("counter/note", ["key": "k"]) == "2 counter.notes")
        #expect(stand.act("counter/add", ["by": "x"]) == "invalid /by: by is an integer")
        #expect(stand.read("counter.total") == "total=3")
        #expect(stand.read("counter.notes") == "notes=[\"k\"]")
        #expect(stand.read("counter.larger?than=2") == "larger?than=2=true")
        #expect(stand.store(of: main).registry.actions.map(\.name).contains("add"))
        #expect(try stand.journal.load(main)?.facts.map(\.variable) == ["counter.total", "counter.notes"])
    }

    // Laws DEPLOY1 and DEPLOY2
    @Test func `loaded, watched and sleeping spaces follow a replaced document and keep their state`() throws {
        let stand = try DeploymentStand(executors: 2)
        let names = (0..<12).compactMap { SpaceName("s\($0)") }
        stand.deploy(["counter": ["label": "one"]])
        for (index, name) in names.enumerated() {
            stand.act("counter/add", ["by": .number(Decimal(index + 1))], in: name)
        }
        // A store with two idle spaces puts the others to sleep.
        for index in 0..<2 { stand.stores[index].idleLimit = 2 }
        let watches = names.prefix(4).map { stand.watch("counter.total", "counter.label", in: $0) }
        stand.deploy(["counter": ["label": "two", "factor": 2]])
        for (index, watch) in watches.enumerated() {
            #expect(watch.events == ["total=\(index + 1) label=\"one\"", "label=\"two\""])
        }
        for (index, name) in names.enumerated() {
            #expect(stand.read("counter.label", in: name) == "label=\"two\"")
            #expect(stand.act("counter/add", ["by": 5], in: name) == "2 counter.total")
            #expect(stand.read("counter.total", in: name) == "total=\(index + 11)")
        }
        #expect(watches[0].events.last == "total=11")
    }

    // Law DEPLOY1
    @Test func `a view that is gone fails its watches, and comes back with its feature`() throws {
        let stand = try DeploymentStand()
        stand.deploy(["counter": ["label": "one"]])
        stand.act("counter/add", ["by": 1])
        let watch = stand.watch("counter.total")
        stand.deploy(["counter": ["label": "two", "views": ["label"]]])
        #expect(watch.events.last == "total=failed: there is no view counter.total any more: GET /v1 lists all views")
        guard case .failure(let failure)? = watch.news.last?.first?.frame.value else {
            Issue.record("the watch has not failed")
            return
        }
        #expect(failure.isGone)
        #expect(stand.read("counter.total") == "noSuchView(\"counter.total\")")
        stand.deploy(["counter": ["label": "three"]])
        #expect(watch.events.last == "total=1")
    }

    // Law DEPLOY1
    @Test(arguments: [("common", "space"), ("space", "common")])
    func `a watch follows a view to another home`(_ first: String, _ then: String) throws {
        let stand = try DeploymentStand()
        stand.deploy(["counter": ["label": "one", "home": .string(first)]])
        let watch = stand.watch("counter.label")
        stand.deploy(["counter": ["label": "two", "home": .string(then)]])
        #expect(stand.read("counter.label") == "label=\"two\"")
        stand.deploy(["counter": nil])
        #expect(stand.read("counter.label") == "noSuchView(\"counter.label\")")
        #expect(watch.events.last?.hasPrefix("label=failed") == true)
        stand.deploy(["counter": ["label": "three", "home": .string(first)]])
        #expect(stand.read("counter.label") == "label=\"three\"")
        #expect(watch.events == ["label=\"one\"", "label=\"two\"", watch.events[2], "label=\"three\""])
        stand.act("counter/add", ["by": 1], in: first == "common" ? .common : main)
        stand.deploy(["counter": ["label": "four", "home": .string(then)]])
        #expect(watch.events.last == "label=\"four\"")
        #expect(watch.events.count == 5)
    }

    @Test func `a removed feature keeps its state for a later one of its name`() throws {
        let stand = try DeploymentStand()
        stand.deploy(["counter": ["label": "one"]])
        stand.act("counter/add", ["by": 4])
        stand.deploy(["counter": nil])
        #expect(stand.act("counter/add", ["by": 1]) == "noSuchAction")
        #expect(stand.read("counter.total") == "noSuchView(\"counter.total\")")
        // The space stays loaded; another action leaves the state alone.
        stand.act("board/change", ["put": []])
        stand.deploy(["counter": ["label": "two"]])
        #expect(stand.read("counter.total") == "total=4")
    }

    // Law DEPLOY2
    @Test func `dropped state is not there for a later feature of the name`() throws {
        let stand = try DeploymentStand()
        stand.deploy(["counter": ["label": "one"]])
        stand.act("counter/add", ["by": 4])
        stand.deploy(["counter": nil], dropsState: true)
        stand.deploy(["counter": ["label": "two"]])
        #expect(stand.read("counter.total") == "total=0")
        #expect(stand.act("counter/add", ["by": 1]) == "3 counter.total")
        let again = try DeploymentStand(stand.journal)
        #expect(again.read("counter.total") == "total=1")
    }

    @Test func `features are there again after a restart`() throws {
        let stand = try DeploymentStand()
        stand.deploy(["counter": ["label": "one"]])
        stand.act("counter/add", ["by": 4])
        stand.deploy(["other": ["home": "common"], "counter": ["label": "two"]])
        stand.act("other/add", ["by": 7], in: .common)
        let again = try DeploymentStand(stand.journal, executors: 2)
        #expect(again.read("counter.total") == "total=4")
        #expect(again.read("counter.label") == "label=\"two\"")
        #expect(again.read("other.total") == "total=7")
        #expect(again.act("other/add", ["by": 1], in: .common) == "4 other.total")
    }

    @Test func `a feature that is given another follows it`() throws {
        let stand = try DeploymentStand(executors: 2)
        stand.deploy(["rate": ["home": "common"], "counter": ["given": "rate"]])
        stand.act("counter/add", ["by": 2])
        let watch = stand.watch("counter.sum")
        stand.act("rate/add", ["by": 1], in: .common)
        stand.deploy(["rate": ["home": "common", "factor": 2]])
        stand.act("rate/add", ["by": 1], in: .common)
        #expect(watch.events == ["sum=[2,0]", "sum=[2,1]", "sum=[2,3]"])
    }

    @Test func `an action that was found before a change is performed as the new document says`() throws {
        let stand = try DeploymentStand()
        stand.deploy(["counter": ["label": "one"]])
        let id = try #require(stand.stores[0].registry.action(feature: "counter", name: "add"))
        stand.deploy(["counter": ["factor": 2]])
        #expect(stand.send(Call(id, input: Array(#"{"by":1}"#.utf8)), in: main) == "1 counter.total")
        #expect(stand.read("counter.total") == "total=2")
        stand.deploy(["counter": nil])
        #expect(stand.send(Call(id, input: Array(#"{"by":1}"#.utf8)), in: main) == "noSuchAction")
    }

    @Test func `each space without commits knows its own name`() throws {
        let stand = try DeploymentStand()
        stand.deploy(["counter": [:]])
        #expect(stand.read("counter.space", in: SpaceName("a")!) == "space=\"a\"")
        #expect(stand.read("counter.space", in: SpaceName("b")!) == "space=\"b\"")
    }

    // Law DEPLOY3
    @Test func `a change that was checked with other documents is refused`() throws {
        let stand = try DeploymentStand()
        let change = DocumentChange(["late": [:]], to: stand.stores[0].documents)
        stand.deploy(["counter": [:]])
        #expect(stand.send(change.call(by: ""), in: .common) == "conflict -: \(DocumentChange.staleReason)")
    }

    @Test func `a document that cannot be used leaves the others alone`() throws {
        let stand = try DeploymentStand()
        stand.deploy(["counter": [:], "broken": ["fault": "of a newer program"]])
        #expect(stand.read("counter.total") == "total=0")
        #expect(stand.read("broken.total") == "noSuchView(\"broken.total\")")
        #expect(stand.stores[0].documentFaults["broken"]?.all.first?.detail == "of a newer program")
    }
}
