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

    /// Compares the views of a permit at two points. With `leavingOut`, views that the rules of one of the points do not
    /// let the reader read are left out.
    init(
        of permit: ReadPermit, leavingOut: Bool, from: PointParameter, to: PointParameter, _ tags: ViewTags,
        _ context: PastContext
    ) throws(PastRefusal) {
        let space = permit.space
        let lives = tags.lives(of: space)
        let (old, _) = try Self.values(of: permit, leavingOut: leavingOut, at: from, tags, context)
        let (new, moment) = try Self.values(of: permit, leavingOut: leavingOut, at: to, tags, context)
        guard tags.lives(of: space) == lives else {
            throw .gone(space, oldest: try context.journal.oldestVersion(of: space))
        }
        var writer = JSONWriter(depth: JSONReader.greatestDepthLimit)
        writer.object { writer in
            for (index, view) in permit.names.enumerated() {
                guard let old = old[index], let new = new[index], old != new else { continue }
                writer.field(view.description, JSONPatch(from: Self.tree(old), to: Self.tree(new)))
            }
        }
        content = writer.bytes
        opaque = tags.opaque(
            of: content, named: "views/diff?\(permit.names.map(\.description).joined(separator: "&"))", in: space)
        tag = "\(ShownVersions(moment, of: space).text)-\(opaque)"
    }

    /// Returns the encoded values at a point: null for a view that the state does not define yet, or no longer, and nil for
    /// one that is left out.
    private static func values(
        of permit: ReadPermit, leavingOut: Bool, at named: PointParameter, _ tags: ViewTags, _ context: PastContext
    ) throws(PastRefusal) -> (values: [[UInt8]?], moment: Moment) {
        let space = permit.space
        guard named.isOfThisLife(space, tags, context.journal.lives) else {
            throw .gone(space, oldest: try context.journal.oldestVersion(of: space))
        }
        let past = try PastSpace(for: permit, at: named.point, context)
        let values = try past.values(of: permit, leavingOut: leavingOut, context)
        let frames = values.compactMap { value in value.frame.map { (value.view, $0) } }
        guard named.opaque == nil || named.opaque == tags.opaque(of: frames, in: space) else {
            throw .gone(space, oldest: try context.journal.oldestVersion(of: space))
        }
        return (values.map { $0.isForbidden ? nil : $0.frame?.written ?? Array("null".utf8) }, past.moment)
    }

    private static func tree(_ value: [UInt8]) -> JSON {
        do throws(JSONError) {
            return try JSON(parsing: value, depth: JSONReader.greatestDepthLimit)
        } catch {
            preconditionFailure("a value that was written cannot be read: \(error)")
        }
    }
}
