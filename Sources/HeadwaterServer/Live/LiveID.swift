import StateStore

/// The id of a live stream's event: keyed digests of what the stream watches, of the lives of its spaces, and of the
/// values. It is opaque and holds no versions.
struct LiveID: Hashable {
    /// The length of the digests but the last, and of the last.
    private static let (shortLength, length) = (11, 22)

    private let selection: String
    private let era: String
    private let lives: String
    private let values: String

    init(_ selection: LiveSelection, lives: [[Life]], digests: [Digest?], era: UInt64, _ key: DigestKey) {
        func short(_ text: String) -> String { String(Digest(Array(text.utf8), key).tag.prefix(Self.shortLength)) }
        self.selection = short("live: " + selection.names.joined(separator: "\n"))
        self.era = short("era: \(era)")
        self.lives = short("lives: " + lives.joined().map { "\($0.era).\($0.count)" }.joined(separator: " "))
        values = Digest(Array(digests.map { $0?.tag ?? "" }.joined(separator: "\n").utf8), key).tag
    }

    /// Reads an id; nil if the text is none.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 3 * Self.shortLength + Self.length,
            bytes.allSatisfy(Digest.isCharacter)
        else { return nil }
        func part(_ index: Int) -> String {
            let start = index * Self.shortLength
            return String(decoding: bytes[start..<(index == 3 ? bytes.count : start + Self.shortLength)], as: UTF8.self)
        }
        (selection, era, lives, values) = (part(0), part(1), part(2), part(3))
    }

    var text: String { selection + era + lives + values }

    /// The relation of a client's last id to the present one.
    enum Relation {
        /// The client has the present values.
        case current
        /// It has other values, or watched something else.
        case changed
        /// It has values of lives that have ended.
        case ended
    }

    /// Returns what a client has that sends `last`.
    func relation(of last: LiveID) -> Relation {
        if last.era != era { return .ended }
        if last.selection != selection { return .changed }
        if last.lives != lives { return .ended }
        return last.values == values ? .current : .changed
    }
}
