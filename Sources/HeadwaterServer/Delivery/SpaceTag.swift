import StateStore

/// The tag of a version of a space.
struct SpaceTag: Hashable {
    /// When it was told: a version that was lost or forgotten since is not mistaken for the one that has its number now.
    let epoch: Int
    let version: Int

    init(epoch: Int, version: Int) {
        self.epoch = epoch
        self.version = version
    }

    /// What a tag says; nil where it is none of these.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.first == UInt8(ascii: "v"), let epoch = Int(parts[0].dropFirst(), radix: 36),
            let version = Int(parts[1]),
            epoch >= 0, version >= 0
        else { return nil }
        self.init(epoch: epoch, version: version)
    }

    /// Whether it is of a life of the space that goes on.
    func isGood(for space: SpaceName, in lives: Lives) -> Bool { (lives.first(of: space)...lives.epoch).contains(epoch) }

    /// Whether it means this version.
    func means(_ version: Int, of space: SpaceName, in lives: Lives) -> Bool {
        self.version == version && isGood(for: space, in: lives)
    }

    /// It as it is written.
    var text: String { "v\(String(epoch, radix: 36)).\(version)" }
}
