import JSON
import StateStore

/// The JSON Patches that turn the values of views at one moment into those at another. Views that are equal are left
/// out.
struct PastDifference: Sendable {
    /// An object of patches.
    let content: [UInt8]
    /// The tag, and its compared part.
    let tag: String
    let opaque: String

    init(
        of views: GuardedViews, in space: SpaceName, from: PointParameter, to: PointParameter, _ tags: ViewTags,
        _ context: PastContext
    ) throws(PastRefusal) {
        let lives = tags.lives(of: space)
        let (old, _) = try Self.values(of: views, in: space, at: from, tags, context)
        let (new, moment) = try Self.values(of: views, in: space, at: to, tags, context)
        guard tags.lives(of: space) == lives else {
            throw .gone(space, oldest: try context.journal.oldestVersion(of: space))
        }
        var writer = JSONWriter(depth: JSONReader.greatestDepthLimit)
        writer.object { writer in
            for (index, view) in views.names.enumerated() where old[index] != new[index] {
                writer.field(view, JSONPatch(from: Self.tree(old[index]), to: Self.tree(new[index])))
            }
        }
        content = writer.bytes
        opaque = tags.opaque(of: content, named: "views/diff?\(views.sources.joined(separator: "&"))", in: space)
        tag = "\(ShownVersions(moment, of: space).text)-\(opaque)"
    }

    /// Returns the encoded values at a point. A view that the state does not define yet, or no longer, is null.
    private static func values(
        of views: GuardedViews, in space: SpaceName, at named: PointParameter, _ tags: ViewTags, _ context: PastContext
    ) throws(PastRefusal) -> (values: [[UInt8]], moment: Moment) {
        guard named.isOfThisLife(space, tags, context.journal.lives) else {
            throw .gone(space, oldest: try context.journal.oldestVersion(of: space))
        }
        let past = try PastSpace(space, at: named.point, for: views.sources, context)
        var values: [[UInt8]] = []
        var frames: ViewFrames = []
        for view in views.sources {
            do throws(PastRefusal) {
                let frame = try past.frames([view])
                frames += frame
                values.append(frame.first?.frame.written ?? [])
            } catch .noView {
                values.append(Array("null".utf8))
            }
        }
        guard named.opaque == nil || named.opaque == tags.opaque(of: views.shown(frames), in: space) else {
            throw .gone(space, oldest: try context.journal.oldestVersion(of: space))
        }
        return (values, past.moment)
    }

    private static func tree(_ value: [UInt8]) -> JSON {
        do throws(JSONError) {
            return try JSON(parsing: value, depth: JSONReader.greatestDepthLimit)
        } catch {
            preconditionFailure("a value that was written cannot be read: \(error)")
        }
    }
}
