import StateStore

/// The computation of view tags: the versions of the answer, and keyed digests of lives and values.
///
/// The key prevents clients from guessing values by their tags. The lives invalidate the tags of a journal that has
/// lost commits, and of a deleted space, even for equal values.
struct ViewTags: Sendable {
    private let journal: any Journal
    private let key: DigestKey

    init(_ journal: any Journal) {
        self.journal = journal
        key = journal.digestKey
    }

    /// The lives of the values of a space.
    func lives(of space: SpaceName) -> SpaceLives { SpaceLives(of: space, in: journal.lives) }

    /// The mark of lives.
    func mark(of lives: SpaceLives) -> LifeMark { LifeMark([lives], key) }

    /// The digest of a view's value, or of its failure.
    func digest(of frame: Frame) -> Digest {
        switch frame.value {
        case .success(let value): value.digest(key)
        case .failure(let failure): Digest(Array("failed: \(failure)".utf8), key)
        }
    }

    /// The digest of the name of a view, or of other content of a space.
    func digest(of name: String, in space: SpaceName) -> Digest {
        Digest(Array("\(space)/\(name)".utf8), key)
    }

    /// The digest of one or more views: of their names and values, independent of their order.
    func digest(of views: [(name: ViewKey, nameDigest: Digest, value: Digest?)]) -> Digest {
        let sorted = views.count > 1 ? views.sorted { $0.name < $1.name } : views
        return Digest(of: sorted.flatMap { [$0.nameDigest, $0.value ?? Digest([], key)] }, key)
    }

    /// The part of a tag of views that is compared.
    func opaque(of news: ViewFrames, in space: SpaceName) -> String {
        let views = news.map {
            (name: $0.view, nameDigest: digest(of: $0.view.description, in: space), value: digest(of: $0.frame))
        }
        return mark(of: lives(of: space)).text + digest(of: views).tag
    }

    /// The tag of several views' values, or of one, at a moment.
    func tag(of news: ViewFrames, at moment: Moment, in space: SpaceName) -> String {
        "\(ShownVersions(moment, of: space).text)-\(opaque(of: news, in: space))"
    }

    /// The compared part of the tag of named content that is not a view.
    func opaque(of content: [UInt8], named name: String, in space: SpaceName) -> String {
        let digest = Digest(of: [digest(of: name, in: space), Digest(content, key)], key)
        return mark(of: lives(of: space)).text + digest.tag
    }
}
