import HTTP
import StateStore

/// A request for the commits of a space after a version.
struct ChangeQuery {
    let space: SpaceName
    let version: Int
    /// The greatest number of commits of the answer.
    let limit: Int
    /// The tags of the versions that the client has, if it names some.
    let tags: EntityTags?
    /// The seconds that the client would wait for the next commit.
    let wait: Int?
    /// True if the request may wait if there are no commits.
    let mayWait: Bool

    /// The query of a request that has waited: it is answered with the commits that there are.
    var answeringAtOnce: ChangeQuery {
        ChangeQuery(space: space, version: version, limit: limit, tags: nil, wait: wait, mayWait: false)
    }
}
