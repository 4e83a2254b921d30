@testable import HeadwaterClient
import JSON
import ServiceInProcess
import Testing

@Suite struct HeldValuesTests {
    private func news(_ text: String) throws -> StreamNews { try #require(StreamNews(Array(text.utf8))) }

    // Law CLIENT4
    @Test func `members and cases that a newer server sends are left alone`() throws {
        var held = HeldValues()
        let event = try news(
            """
            {"main/a.b": {"x": 1, "later": [1]}, "_later": {"main/a.b": 7}, "_tags": {"main/a.b": "1-t", "main/z": 7},
             "_versions": {"main": "19.2", "b": {}}, "_queue": {"main": "many"}, "_gone": {"main/c.d": {"type": 7}}}
            """)
        let step = held.take(event) { _ in true }
        #expect(step.changed == ["main/a.b", "main/c.d"] && held.versions == ["main": 19] && held.queue.isEmpty)
        #expect(held.shown("main/a.b").value == ["x": 1, "later": [1]] && held.tag("main/a.b") == "1-t")
        guard case .refused(let problem) = held.shown("main/c.d").phase else { return #expect(Bool(false)) }
        #expect(problem.type == "about:blank")
        #expect(StreamNews(Array("[1]".utf8)) == nil && StreamNews(Array("{".utf8)) == nil)
    }

    @Test func `a patch is applied to the value that it follows, and one that does not fit costs the tag`() throws {
        var held = HeldValues()
        _ = held.take(try news(#"{"v": {"a": [1]}, "_tags": {"v": "1"}}"#)) { _ in true }
        _ = held.take(
            try news(#"{"_patches": {"v": [{"op": "add", "path": "/a/-", "value": 2}]}, "_tags": {"v": "2"}}"#)
        ) {
            _ in true
        }
        #expect(held.shown("v").value == ["a": [1, 2]] && held.tag("v") == "2")
        let unfit = held.take(try news(#"{"_patches": {"v": [{"op": "remove", "path": "/b"}]}, "_tags": {"v": "3"}}"#))
        {
            _ in true
        }
        #expect(unfit.unfit == ["v"] && held.tag("v") == nil && held.shown("v").value == ["a": [1, 2]])
        held.distrust("v")
        let late = held.take(try news(#"{"_patches": {"v": [{"op": "add", "path": "/a/-", "value": 9}]}}"#)) { _ in true
        }
        #expect(late.changed.isEmpty && held.shown("v").value == ["a": [1, 2]])
    }

    @Test func `the parts of a replica's snapshot are one step`() throws {
        var held = HeldValues()
        let name = "main/t!replica"
        let first = held.take(try news(#"{"main/t!replica": {"rows": {"a": 1}, "n": 1}, "_more": ["main/t!replica"]}"#))
        {
            _ in true
        }
        #expect(first.replicas.isEmpty && first.changed.isEmpty && held.shown(name).phase == .loading)
        let last = held.take(try news(#"{"main/t!replica": {"rows": {"b": 2}}, "_tags": {"main/t!replica": "5"}}"#)) {
            _ in
            true
        }
        guard case .whole(let whole)? = last.replicas.first?.news else { return #expect(Bool(false)) }
        #expect(JSON.object(whole) == ["rows": ["a": 1, "b": 2], "n": 1] && held.tag(name) == "5")
        let rows = held.take(
            try news(#"{"_rows": {"main/t!replica": {"rows": {"a": null}}}, "_tags": {"main/t!replica": "6"}}"#)
        ) { _ in true }
        guard case .changes(let changes)? = rows.replicas.first?.news else { return #expect(Bool(false)) }
        #expect(JSON.object(changes) == ["rows": ["a": .null]] && held.tag(name) == "6")
    }

    @Test func `bytes that are no event change nothing`() throws {
        var entropy = Entropy(seed: 3)
        let letters = Array(#"{}[]":,_pathegso1/~ "#.utf8)
        for _ in 0..<3_000 {
            let bytes = (0..<entropy.below(50)).map { _ in entropy.one(of: letters) }
            var held = HeldValues()
            if let event = StreamNews(bytes) { _ = held.take(event) { _ in true } }
        }
    }
}
