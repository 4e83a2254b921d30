/// The point after which a client asks for commits: a version, or the tag of one.
enum ChangeStart {
    case version(Int)
    case tag(SpaceTag)

    /// The point that a text means; nil where it means none.
    init?(_ text: String) {
        if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text) {
            self = .version(number)
        } else if let tag = SpaceTag(sent: text) {
            self = .tag(tag)
        } else {
            return nil
        }
    }
}
