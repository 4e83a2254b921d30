import JSON
import Reactive
import ServerReads
import StateStore
import Testing

/// The graph of a space.
struct SpaceGraphTests {
    private func graph(
        of views: [String], _ stand: Stand, in space: SpaceName = .main
    ) throws -> (graph: SpaceGraph, moment: Moment) {
        var result: Result<(graph: SpaceGraph, moment: Moment), Refusal>?
        stand.store.describe(views, in: space) { result = $0 }
        try stand.executor.run { result != nil }
        return try #require(try result?.get())
    }

    @Test func `a view is drawn from its variables through its operators`() throws {
        let stand = try Stand()
        let graph = try graph(of: ["ledger.worth"], stand).graph
        let edges = graph.edges.map { "\($0.from) > \($0.to)" }
        #expect(
            edges == [
                "variable/ledger.sum > operator/1", "variable/rates.rate > operator/1", "operator/1 > operator/2",
                "operator/2 > view/ledger.worth",
            ])
        #expect(graph.nodes.filter { $0.kind == .operator }.map(\.name) == ["combineLatest", "map"])
        #expect(graph.isWhole)
    }

    @Test func `a view that is a variable and a variable without a view are nodes`() throws {
        let stand = try Stand()
        let graph = try graph(of: ["ledger.mark"], stand).graph
        #expect(graph.edges.map { [$0.from, $0.to] } == [["variable/ledger.mark", "view/ledger.mark"]])
        #expect(graph.nodes.contains { $0.id == "variable/ledger.amounts" && $0.kind == .variable })
    }

    @Test func `an operator that two views share is one node`() throws {
        let stand = try Stand()
        let graph = try graph(of: ["rates.names", "ledger.sum", "ledger.worth", "ledger.brittle"], stand).graph
        #expect(Set(graph.nodes.map(\.id)).count == graph.nodes.count)
        #expect(graph.edges.count { $0.from == "variable/ledger.sum" } == 3)
    }

    @Test func `each node follows all of its sources`() throws {
        let stand = try Stand()
        let graph = try graph(of: ["ledger.worth", "ledger.total", "ledger.amounts", "ledger.brittle"], stand).graph
        let places = Dictionary(uniqueKeysWithValues: graph.nodes.enumerated().map { ($1.id, $0) })
        for edge in graph.edges { #expect(places[edge.from]! < places[edge.to]!) }
    }

    @Test func `the variables behind a view are exactly those it derives from`() throws {
        let stand = try Stand()
        let graph = try graph(of: ["ledger.worth", "ledger.total", "ledger.mark"], stand).graph
        #expect(Set(graph.variables(behind: "ledger.worth")) == ["ledger.sum", "rates.rate"])
        #expect(graph.variables(behind: "ledger.total") == ["ledger.amounts"])
        #expect(graph.variables(behind: "ledger.mark") == ["ledger.mark"])
    }

    // Law T8 holds here too: describing the graph leaves no view active.
    @Test func `describing the graph leaves no view active`() throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 3)
        _ = try graph(of: ["ledger.sum", "ledger.worth"], stand)
        _ = (stand.tally.taken("sum"), stand.tally.taken("worth"))
        try stand.post("ledger/add", "a", 4)
        #expect((stand.tally.taken("sum"), stand.tally.taken("worth")) == (0, 0))
    }

    @Test func `describing the graph delivers nothing to the subscribers of a view`() throws {
        let stand = try Stand()
        try stand.post("ledger/add", "a", 3)
        let told = stand.watch("ledger.worth")
        try stand.settle(.main)
        let heard = told.events
        _ = stand.tally.taken("worth")
        #expect(try graph(of: ["ledger.worth"], stand).moment.version == 1)
        #expect(told.events == heard)
        #expect(stand.tally.taken("worth") == 0)
    }

    @Test func `the graph of common contains only features of common`() throws {
        let stand = try Stand()
        let graph = try graph(of: ["rates.rate"], stand, in: .common).graph
        #expect(graph.nodes.filter { $0.kind == .variable }.map(\.name) == ["rates.rate", "rates.names"])
    }
}
