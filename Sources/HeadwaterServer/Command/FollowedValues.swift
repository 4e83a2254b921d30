import JSON

/// The values that a command follows on a steered stream, with their tags.
struct FollowedValues {
    /// A change of a view.
    enum FollowedChange: Hashable {
        case value(JSON)
        case patch(JSONPatchText)
        /// The view cannot be read.
        case gone(JSON)
    }

    /// A patch as the server has written it.
    struct JSONPatchText: Hashable {
        let operations: [JSON]
    }

    /// The reason that an event cannot be taken.
    struct UnfitEvent: Error {}

    /// The views, as they were asked for.
    let names: [String]
    private(set) var values: [String: JSON] = [:]
    private var tags: [String: String] = [:]
    private var gone: [String: JSON] = [:]

    init(_ names: [String]) { self.names = names }

    /// The body that opens the stream.
    var request: [UInt8] {
        var watch = JSON.Object()
        for name in names { watch[name] = tags[name].map { .string($0) } ?? .null }
        let body: JSON = ["watch": .object(watch), "delta": "json-patch"]
        return body.written
    }

    /// True if no view can be read.
    var areAllGone: Bool { names.allSatisfy { gone[$0] != nil } }

    /// Takes the data of an event, and returns the changes in the order of the names.
    mutating func take(_ data: String) throws(UnfitEvent) -> [(name: String, change: FollowedChange)] {
        guard let event = try? JSON(parsing: Array(data.utf8)) else { throw UnfitEvent() }
        var changes: [(name: String, change: FollowedChange)] = []
        for name in names {
            if case .array(let operations)? = event["_patches"]?[name] {
                guard let value = values[name], let patch = try? JSONPatch(parsing: JSON.array(operations).written),
                    let patched = try? patch.applied(to: value)
                else { throw UnfitEvent() }
                values[name] = patched
                changes.append((name, .patch(JSONPatchText(operations: operations))))
            } else if let value = event[name] {
                values[name] = value
                changes.append((name, .value(value)))
            } else if let problem = event["_gone"]?[name] {
                (values[name], tags[name], gone[name]) = (nil, nil, problem)
                changes.append((name, .gone(problem)))
            }
            if case .string(let tag)? = event["_tags"]?[name] { (tags[name], gone[name]) = (tag, nil) }
        }
        return changes
    }

    /// Forgets all values, so that the next stream begins with them.
    mutating func forget() { (values, tags, gone) = ([:], [:], [:]) }
}
