internal import Ground
internal import Platform
package import JSON
import Reactive

/// The state of a space as of a version, to which a call returns the space.
package final class Restoration: SpaceAction {
    /// The action of the call, and of its commit.
    package static let action = ActionID(feature: "space", action: "restore")

    /// The features in that state, or the reason why it cannot be read. Only `Space` reads them, on its executor.
    let state: Result<PastFeatures, PastRefusal>
    /// What has found the rows that differ from that state. Only `Space` uses it, on its executor.
    let differences = Confined(Box<[any SlicedIndex]>([]))
    /// The places of its private parts, and the mark of its rules, by the definitions of then, as `CommitRecord.withheld`
    /// has them.
    let withheld: [String]

    /// Loads the state. A refusal becomes the answer of the call, unless the call repeats one that was performed.
    package init(of space: SpaceName, to point: PastPoint, _ context: PastContext) {
        do throws(PastRefusal) {
            let content = try PastContent(of: space, at: point, context.journal)
            let stored = content.own ?? content.common
            state = .success(context.lending(try Self.features(of: space, stored, context)))
            let documents = DeployedDocuments(of: content.common.facts)
            let catalog = context.library.deployment(of: documents, isPast: true).registry.catalog
            let facts = Facts(stored.facts)
            withheld =
                catalog.withheld(Self.action.name, nil, facts)
                + [catalog.mark(Self.action.name, nil, facts)].compactMap(\.self)
        } catch {
            state = .failure(error)
            withheld = []
        }
    }

    /// A call that is refused.
    package init(_ refusal: PastRefusal) {
        state = .failure(refusal)
        withheld = []
    }

    /// The features of a space in a stored state.
    static func features(
        of space: SpaceName, _ stored: StoredSpace, _ context: PastContext
    ) throws(PastRefusal) -> FeatureSet {
        let catalog = context.registry.catalog
        let features = FeatureSet(catalog, of: space, beside: space == .common ? nil : FeatureSet(catalog, of: .common))
        do throws(JSONError) {
            try features.restoreAll(stored.facts)
        } catch {
            throw .unreadable(
                JournalFailure(
                    .damaged, "version \(stored.version) of the space \(space) cannot be read by this program: \(error)"
                ))
        }
        features.migrateOutdated(in: Graph())
        if let reason = features.unmigrated.values.first {
            throw .unreadable(
                JournalFailure(
                    .damaged, "version \(stored.version) of the space \(space) cannot be migrated: \(reason)"))
        }
        return features
    }

    /// The call that returns a space to this state.
    package func call(
        input: [UInt8]?, _ json: JSON, key: String?, views: ReadPermit?, condition: Call.Condition?, caller: Caller
    ) -> Call {
        Call(
            Self.action, input: input, key: key, views: views, condition: condition, caller: caller
        ).with(self, json)
    }
}
