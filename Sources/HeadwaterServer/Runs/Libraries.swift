import JSON
import StateStore
import Streams

/// The definitions of spaces, read once for as long as they stay as they are.
final class Libraries {
    /// Of how many spaces they are remembered.
    static let limit = 256

    private var known: [SpaceName: (digest: Digest, library: Library)] = [:]

    /// The library that the view of all definitions shows.
    func library(of news: ViewFrames, in space: SpaceName) throws -> Library {
        guard case .success(let bytes)? = news.first?.frame.value else { throw JSONError(.unexpectedEnd, at: 0) }
        let digest = Digest(bytes)
        if let known = known[space], known.digest == digest { return known.library }
        let library = try Library(parsing: bytes)
        if known.count >= Self.limit { known = [:] }
        known[space] = (digest, library)
        return library
    }
}
