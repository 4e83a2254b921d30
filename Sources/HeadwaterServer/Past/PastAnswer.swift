import JSON
import StateStore

/// The values of some views as of a moment of the past, encoded, with their tag.
struct PastAnswer: Sendable {
    /// The body.
    let content: [UInt8]
    /// The versions of the tag, and its compared part.
    let versions: ShownVersions
    let opaque: String
    /// The time of the newer commit of the two versions; nil before the first.
    let time: Timestamp?
    /// The failure that takes the place of the content: that of a single view or, among several, of the first view that
    /// does not exist.
    let failure: (view: String, failure: ViewFailure)?

    /// The whole tag.
    var tag: String { "\(versions.text)-\(opaque)" }

    /// Computes the views of a permit. If the point is a tag of views, the values must have its compared part.
    /// `definesByPresent` takes the definitions of the present documents.
    init(
        _ permit: ReadPermit, isSingle: Bool, at named: PointParameter, _ tags: ViewTags, leavingOut: Bool = false,
        definesByPresent: Bool = false, _ context: PastContext
    ) throws(PastRefusal) {
        let space = permit.space
        let lives = tags.lives(of: space)
        guard named.isOfThisLife(space, tags, context.journal.lives) else {
            throw .gone(space, oldest: try context.journal.oldestVersion(of: space))
        }
        let past = try PastSpace(for: permit, at: named.point, definesByPresent: definesByPresent, context)
        let frames = try past.frames(of: permit, leavingOut: leavingOut, context)
        opaque = tags.opaque(of: frames, in: space)
        // A space that was deleted meanwhile has another life. A tag of another release belongs to other values.
        guard named.opaque == nil || named.opaque == opaque, tags.lives(of: space) == lives else {
            throw .gone(space, oldest: try context.journal.oldestVersion(of: space))
        }
        versions = ShownVersions(past.moment, of: space)
        time = past.time
        failure = Self.failure(of: frames, isSingle: isSingle)
        content = Self.content(of: frames, isSingle: isSingle)
    }

    private static func failure(of frames: ViewFrames, isSingle: Bool) -> (view: String, failure: ViewFailure)? {
        for (view, frame) in frames {
            if case .failure(let failure) = frame.value, isSingle || failure.isGone { return ("\(view)", failure) }
        }
        return nil
    }

    private static func content(of frames: ViewFrames, isSingle: Bool) -> [UInt8] {
        if isSingle { return frames.first?.frame.written ?? [] }
        var writer = JSONWriter()
        writer.object { writer in
            for (view, frame) in frames { writer.field(view.description, written: frame.written) }
        }
        do {
            return try writer.finish()
        } catch {
            preconditionFailure("values that were written cannot be put together: \(error)")
        }
    }
}

extension Frame {
    /// The encoded value, or null if the view has failed.
    var written: [UInt8] {
        if case .success(let value) = value { value.bytes } else { Array("null".utf8) }
    }
}
