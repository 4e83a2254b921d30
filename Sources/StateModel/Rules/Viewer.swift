public import JSON

/// The caller that reads a view, and the space that it reads.
public struct Viewer: Hashable, Sendable {
    /// The caller, with the claims that the rule or the view reads.
    public let caller: Caller
    /// The space.
    public let space: SpaceName
    /// True if the caller has the right `admin` in the space.
    package let isAdmin: Bool

    /// A viewer.
    package init(_ caller: Caller, in space: SpaceName, isAdmin: Bool = false) {
        self.caller = caller
        self.space = space
        self.isAdmin = isAdmin
    }

    /// The subject of the caller; nil if the rule or the view does not read the claim `sub`, or if there is none.
    public var subject: String? { caller.subject }

    /// A claim of the caller; nil if it has none of this name, or if the rule or the view does not read it.
    public func claim(_ name: String) -> JSON? { caller.claim(name) }

    /// The same caller as a viewer of `common`, to which the views of `common` belong.
    package var inCommon: Viewer { Viewer(caller, in: .common, isAdmin: isAdmin) }

    /// Returns the viewer with some of its claims only, and without its rights.
    func reduced(to claims: ClaimSet, keepingAdmin: Bool = false) -> Viewer {
        var members = JSON.Object()
        if let names = claims.names {
            for name in names { if let claim = caller.claim(name) { members[name] = claim } }
        } else if case .object(let all) = caller.claims {
            members = all
        }
        return Viewer(members, in: space, isAdmin: keepingAdmin && isAdmin)
    }

    private init(_ claims: JSON.Object, in space: SpaceName, isAdmin: Bool) {
        var subject = ""
        if case .string(let text)? = claims["sub"] { subject = text }
        self.init(Caller(subject, claims: .object(claims)), in: space, isAdmin: isAdmin)
    }
}

extension Viewer {
    /// The viewer as JSON text. Viewers with equal claims have equal texts.
    var text: String {
        var writer = JSONWriter(depth: JSONReader.greatestDepthLimit)
        writer.object { writer in
            writer.field("space", space.description)
            if isAdmin { writer.field("admin", true) }
            writer.field("token", caller.claims)
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
