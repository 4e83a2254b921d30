package import JSON

/// What a client knows of a view, or of several: values and patches applied one after the other.
package struct PatchedClient {
    /// The fault of an event that cannot be applied.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// The value, or the object of the views.
    package private(set) var value: JSON?
    /// The id of the last event.
    package private(set) var lastID: String?
    /// The events with a whole value or with the views that changed, and those with patches.
    package private(set) var valueCount = 0
    package private(set) var patchCount = 0

    private let isSingle: Bool

    package init(isSingle: Bool) {
        self.isSingle = isSingle
    }

    /// Takes an event: its name, its id and its data.
    package mutating func take(_ name: String?, _ id: String?, _ data: String) throws {
        if let id { lastID = id }
        let data = try JSON(parsing: Array(data.utf8))
        switch name {
        case nil:
            valueCount += 1
            assign(data)
        case "patch":
            patchCount += 1
            try apply(data)
        case "version": break
        case "reset":
            guard id == nil, data == [:] else { throw Fault(description: "a reset with content") }
            value = nil
        default: throw Fault(description: "an event named \(name ?? "")")
        }
    }

    /// Replaces the value, or the views that an object has.
    package mutating func assign(_ news: JSON) {
        guard !isSingle, case .object(var all)? = value, case .object(let changed) = news else {
            value = news
            return
        }
        for member in changed { all[member.key] = member.value }
        value = .object(all)
    }

    /// Applies an array of operations, or an object of arrays.
    package mutating func apply(_ patch: JSON) throws {
        guard let value else { throw Fault(description: "a patch without a value") }
        if isSingle {
            self.value = try Self.applied(patch, to: value)
            return
        }
        guard case .object(var all) = value, case .object(let patches) = patch else {
            throw Fault(description: "no object of patches: \(patch)")
        }
        for member in patches {
            guard let old = all[member.key] else { throw Fault(description: "a patch of an unknown view") }
            all[member.key] = try Self.applied(member.value, to: old)
        }
        self.value = .object(all)
    }

    private static func applied(_ patch: JSON, to value: JSON) throws -> JSON {
        var writer = JSONWriter()
        patch.write(to: &writer)
        return try JSONPatch(parsing: try writer.finish()).applied(to: value)
    }
}
