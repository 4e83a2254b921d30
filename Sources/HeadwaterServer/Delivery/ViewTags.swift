import StateStore

/// The tags of views: keyed digests of their values and of the life in which their space began.
///
/// The key keeps values from being guessed by their tags. The life makes tags of a journal that lost something, or of a
/// space that was forgotten, mean nothing to what came after, though a value may be the same.
struct ViewTags: Sendable {
    private let journal: any Journal
    private let key: DigestKey

    init(_ journal: any Journal) {
        self.journal = journal
        key = journal.digestKey
    }

    /// The life in which a space began.
    func life(of space: SpaceName) -> Life { journal.lives.life(of: space) }

    /// The digest of a view's value, or of its failure.
    func digest(of frame: Frame) -> Digest {
        switch frame.value {
        case .success(let value): value.digest(key)
        case .failure(let failure): Digest(Array("failed: \(failure)".utf8), key)
        }
    }

    /// The tag of several views, of which the digests are known, or of one: the same for the same values, in whatever
    /// order they are asked for.
    func tag(of digests: [Digest?], _ views: [String], in life: Life) -> String {
        let digests = digests.indices.sorted { views[$0] < views[$1] }.map { digests[$0] ?? Digest([], key) }
        return Digest(of: digests, in: life, key).tag
    }

    /// The tag of several views' values, or of one.
    func tag(of news: ViewFrames, in space: SpaceName) -> String {
        tag(of: news.map { digest(of: $0.frame) }, news.map(\.view), in: life(of: space))
    }

    /// The tag of some content of a space that is no view by itself.
    func tag(of content: [UInt8], in space: SpaceName) -> String {
        Digest(of: [Digest(content, key)], in: life(of: space), key).tag
    }
}
