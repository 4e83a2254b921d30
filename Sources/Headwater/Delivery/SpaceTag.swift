/// The tag of a version of a space.
struct SpaceTag: Hashable {
    /// Which life of the journal it is of: a version that was lost with an earlier one is not mistaken for the one that has its number now.
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

    /// It as it is written.
    var text: String { "v\(String(epoch, radix: 36)).\(version)" }
}
