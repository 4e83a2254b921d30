package import JSON
package import Reactive

/// Replays the commits of a space and of `common` in their original order. State and views are byte for byte the same
/// as in the recorded run.
package final class Replay {
    /// The moment that the replay has reached.
    package private(set) var moment = Moment(version: 0, common: 0)

    private let space: SpaceName
    package let graph = Graph()
    private let common: FeatureSet
    /// The features of the space; nil for `common` itself.
    private let own: FeatureSet?

    /// Creates a replay of `space` before its first commit.
    package init(of space: SpaceName, _ registry: Registry) {
        self.space = space
        common = FeatureSet(registry.catalog, of: .common)
        own = space == .common ? nil : FeatureSet(registry.catalog, of: space, beside: common)
    }

    /// The views of the space. Precondition: the space is not `common`.
    package var views: SpaceViews {
        guard let own else { preconditionFailure("the views of a space are asked for") }
        return own.views
    }

    /// Begins with the state of `common` at a version. Precondition: nothing was played.
    package func begin(common stored: StoredSpace) throws(JournalFailure) {
        do throws(JSONError) {
            try common.restore(stored.facts)
        } catch {
            throw JournalFailure(.damaged, "version \(stored.version) of the space common cannot be played: \(error)")
        }
        moment = Moment(version: 0, common: stored.version)
    }

    /// Applies the next commit of the space or of `common`.
    package func play(_ record: CommitRecord) throws(JournalFailure) {
        let isCommon = record.space == .common
        guard isCommon || record.space == space else {
            throw Self.damaged(record, "it is not one of the space \(space)")
        }
        let next = 1 + (isCommon ? moment.common : moment.version)
        guard record.version == next else { throw Self.damaged(record, "version \(next) would be next") }
        do {
            try graph.commit { transaction throws(JSONError) in
                for fact in record.facts { try (isCommon ? common : own)?.take(fact, in: &transaction) }
            }
        } catch {
            throw Self.damaged(record, "\(error)")
        }
        (isCommon ? common : own)?.showMemory(in: graph)
        moment = Moment(version: moment.version + (isCommon ? 0 : 1), common: moment.common + (isCommon ? 1 : 0))
    }

    private static func damaged(_ record: CommitRecord, _ reason: String) -> JournalFailure {
        JournalFailure(.damaged, "version \(record.version) of the space \(record.space) cannot be played: \(reason)")
    }

    /// Returns the value of a view as JSON, or nil if the view does not exist.
    package func value(of view: ViewKey) -> Result<ViewValue, ViewFailure>? {
        guard let view = common.view(view) ?? own?.view(view) else { return nil }
        var value = Result<ViewValue, ViewFailure>.success(Frame.null)
        view.watch(in: graph, DigestKey(0, 0)) { delivered, _ in value = delivered }.cancel()
        return value
    }

    /// Returns the whole value of each variable as JSON, those of `common` first.
    package func state() throws(JSONError) -> [Fact] {
        var facts: [Fact] = []
        for feature in common.all + (own?.all ?? []) {
            for (variable, stored) in zip(feature.blueprint.variables, feature.variables) {
                facts.append(Fact(variable: variable.name, value: try stored.whole()))
            }
        }
        return facts
    }
}
