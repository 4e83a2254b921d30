import Ground
import HTTP
import StateStore

/// The fields of an answer with a state of the past.
struct PastFields {
    /// The tag of the state, and the path of its resource with that tag.
    let tag: String
    let location: String
    /// The time since which the state was so; nil before the first commit.
    let time: Timestamp?
    /// True if the request named the whole tag: then the answer never changes.
    let isWhole: Bool

    /// The fields of a state with a tag.
    init(_ tag: String, _ time: Timestamp?, _ route: Route, isWhole: Bool) {
        self.tag = tag
        self.time = time
        self.isWhole = isWhole
        location = Self.location(route, tag)
    }

    /// Writes the fields. `element` is the tag as the client sent it, for a 304.
    func write(to writer: inout FieldWriter, element: String? = nil) {
        writer.field("ETag", element ?? "\"\(tag)\"")
        if isWhole {
            writer.field("Cache-Control", "private, max-age=31536000, immutable")
        } else {
            writer.field("Cache-Control", "no-cache")
        }
        // Before its first commit a state was so from the beginning.
        let seconds = (time?.microseconds ?? 0).floorDivided(by: 1_000_000)
        writer.field("Memento-Datetime", HTTPDate(seconds: seconds).text)
        writer.field("Content-Location", location)
        writer.field("Vary", "Accept, Accept-Encoding")
    }

    /// Returns the target of a request with the whole tag as `at`, and without a token.
    private static func location(_ route: Route, _ tag: String) -> String {
        let target = String(decoding: route.target, as: UTF8.self)
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var pairs: [String] = []
        let written = parts.count == 2 ? parts[1].split(separator: "&") : []
        for (pair, parameter) in zip(written, route.parameters) {
            switch parameter.name {
            case "at": pairs.append("at=\(tag)")
            case let name where QueryParameters.credentials.contains(name): break
            default: pairs.append(String(pair))
            }
        }
        return "\(parts[0])?\(pairs.joined(separator: "&"))"
    }
}
