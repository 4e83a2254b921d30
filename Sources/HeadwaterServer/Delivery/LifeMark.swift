import StateStore

/// The lives of the values of a space: its own and that of `common`.
struct SpaceLives: Hashable, Sendable {
    let space: Life
    let common: Life

    init(of space: SpaceName, in lives: LifeTable) {
        self.space = lives.earliestLife(of: space)
        common = lives.earliestLife(of: .common)
    }
}

/// The mark of lives in a tag: 11 letters, digits, `-` and `_`. A tag of another life has another mark.
struct LifeMark: Hashable, Sendable {
    let text: String

    /// The mark of the lives of one space or more.
    init(_ lives: [SpaceLives], _ key: DigestKey) {
        text = Digest(of: lives.flatMap { [$0.space, $0.common] }, key).shortTag
    }
}
