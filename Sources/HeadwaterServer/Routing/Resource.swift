import HTTP
import StateStore

/// A resource: the meaning of a path, and the row of its kind.
final class Resource: Sendable {
    let meaning: Meaning
    let row: ResourceRow
    /// The space of the path.
    let space: SpaceName?
    /// The view of the path, as `feature.view`.
    let view: ViewKey?
    private let action: ActionID?

    /// The meaning of a path, with the names in it.
    enum Meaning {
        /// A file of the console.
        case console(Asset)
        /// A file of the site.
        case site(SitePath)
        /// The script of `headwater dev`, and the state that it looks at.
        case liveScript, liveState
        /// The client for browsers, and its types.
        case client, clientTypes
        /// The service worker that keeps the files of the site, and their list.
        case offline, siteList
        /// The engine of features over their replicas, for browsers.
        case mirror
        /// A path that has become another one.
        case moved(String)
        /// `*`: the server as a whole.
        case anything
        case contract, health, readiness, metrics
        /// The schema of documents.
        case documentSchema
        /// The Model Context Protocol for agents.
        case agents
        case index
        case spaces
        /// Views of several spaces.
        case live
        /// An open stream that its client steers; nil if the name cannot be that of one.
        case liveStream(StreamName?)
        /// The commits of all spaces.
        case allChanges
        /// Tickets, which stand in URLs in place of tokens.
        case tickets
        /// The caller: its subject, its claims and its rights.
        case me
        /// The subjects, the audit log and the limits, for the operator.
        case subjects, audit, limits
        /// The use of the server by the caller, and the size of a space.
        case usage, spaceUsage(SpaceName)
        /// The lines of an export.
        case export
        /// The operations on the data directory, one of them, and the lines of an import.
        case operations, operation(String), operationLines(String)
        case space(SpaceName)
        case views(SpaceName)
        case changes(SpaceName)
        case graph(SpaceName)
        case view(SpaceName, ViewKey)
        case why(SpaceName, ViewKey)
        case action(SpaceName, ActionID)
        /// A name that a feature gives to both a view and an action.
        case viewAndAction(SpaceName, ViewKey, ActionID)
        /// The definitions of streams, and one of them.
        case streams(SpaceName)
        case stream(SpaceName, String)
        /// The run of a stream. Its value is a view.
        case streamValues(SpaceName, String)
        /// Trials of streams.
        case streamTest(SpaceName)
        /// Tests of rules with other claims.
        case ruleTest(SpaceName)
        /// The history of a view.
        case history(SpaceName, ViewKey)
        /// The difference between the views of two moments.
        case difference(SpaceName)
        /// The return to a past state.
        case restore(SpaceName)
        /// The erasure of a row.
        case erase(SpaceName)
        /// Several actions in one commit.
        case actions(SpaceName)
        /// Edits of rows, and the undoing of commits, by administrators.
        case edit(SpaceName)
        /// The reason that a request was refused, or slow.
        case requestWhy(String)
        /// The features, one of them, and the spaces whose state it cannot take.
        case features
        case feature(String)
        case featureProblems(String)
        /// The ways to the rows that a feature reads.
        case featurePlan(String)
        /// The part of a document for clients with a replica.
        case featureClient(String)
        /// The progress of the migration of a feature.
        case featureMigration(String)
        /// The report of a rehearsal of a document.
        case featureReport(String, String)
        /// The hooks that the document of a feature declares.
        case featureHooks(String)
        /// Tests of documents.
        case featureTest
        /// Rehearsals of documents.
        case featureReplay
        /// The hooks of a space, and one of them.
        case hooks(SpaceName)
        case hook(SpaceName, String)
    }

    init(
        _ meaning: Meaning, _ row: ResourceRow, in space: SpaceName? = nil, view: ViewKey? = nil,
        action: ActionID? = nil
    ) {
        self.meaning = meaning
        self.row = row
        self.space = space
        self.view = view
        self.action = action
    }

    /// The action or the view of the resource.
    var name: String? { action?.name ?? view?.description }

    /// Returns the resource that a method means, if the path names two.
    func resource(for method: Method) -> Resource {
        guard case .viewAndAction(let space, let view, let action) = meaning else { return self }
        switch method {
        case .get, .head: return Resource(.view(space, view), .ofViews, in: space, view: view)
        case .post: return Resource(.action(space, action), .ofActions, in: space, action: action)
        default: return self
        }
    }
}
