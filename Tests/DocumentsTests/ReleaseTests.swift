@testable import Hosting
import JSON
import StateStore
import Testing

@testable import Documents

/// What views retain.
struct ReleaseTests {
    @Test func `a space whose views were read is released with its server`() throws {
        let feature = try Observed(#require(compile(["board": parse(BoardTests.board)])["board"]))
        do {
            let registry = try Registry([]).describing([DeployedFeature(feature)])
            let server = try TrialServer(registry)
            let card: JSON = ["id": "a", "text": "x"]
            guard case .success = try server.perform("board", "add", card, in: nil, by: Caller("")) else {
                Issue.record("the card was not added")
                return
            }
            // Each form of a view, and each kind of access to state.
            for view in ["topic", "count", "votes", "byVotes", "top", "titled", "summary", "card?id=a"] {
                _ = try server.view("board.\(view)", in: nil)
            }
            #expect(feature.views(in: "test") != nil)
        }
        #expect(feature.views(in: "test") == nil)
    }
}

/// A feature that knows the views of its spaces, and does not retain them.
private final class Observed: FeatureDescription {
    private struct Reference {
        weak var views: SpaceViews?
    }

    private let feature: any FeatureDescription
    nonisolated(unsafe) private var references: [String: Reference] = [:]

    init(_ feature: any FeatureDescription) { self.feature = feature }

    var name: String { feature.name }
    var scope: Scope { feature.scope }
    var given: [String] { feature.given }
    var state: [StateDescription] { feature.state }
    var actions: [ActionOutline] { feature.actions }
    var views: [ViewOutline] { feature.views }
    var memories: [String] { feature.memories }

    func parts(in space: DescribedSpace) -> DescribedParts {
        references[space.name.description] = Reference(views: space.views)
        return feature.parts(in: space)
    }

    /// The views of a space, while they are there.
    func views(in space: String) -> SpaceViews? { references[space]?.views }
}
