import HTTP
import StateStore

/// The text of a place in the commits of all spaces, which clients take as opaque: the cursor of the journal, and the
/// era in which it was sent. In a cluster the text has a place for each lane, and any node goes on there.
struct FeedCursor: Equatable, Sendable {
    let cursor: JournalCursor
    let era: UInt64

    init(_ cursor: JournalCursor, era: UInt64) {
        self.cursor = cursor
        self.era = era
    }

    /// Parses a cursor that a client has sent, possibly with quotation marks and the additions of a proxy.
    init?(_ text: String) {
        guard let tag = EntityTags(tag: text).tags.first else { return nil }
        let words = tag.split(separator: "_", omittingEmptySubsequences: false)
        guard let era = words.last.flatMap({ UInt64($0, radix: 36) }) else { return nil }
        if words.count == 2 {
            let shares = words[0].split(separator: ".", omittingEmptySubsequences: false).map { Int($0, radix: 36) }
            guard shares.allSatisfy({ $0.map { $0 >= 0 } ?? false }) else { return nil }
            self.init(JournalCursor(shares: shares.compactMap { $0 }), era: era)
        } else {
            guard words.count == 3, let place = Int(words[0], radix: 36), let begun = Int(words[1], radix: 36),
                place >= 0, begun >= 0
            else { return nil }
            self.init(JournalCursor(place: place, begun: begun), era: era)
        }
        // A number has several spellings, a cursor only one.
        guard self.text == tag else { return nil }
    }

    /// The text.
    var text: String {
        if !cursor.shares.isEmpty {
            return "\(cursor.shares.map { String($0, radix: 36) }.joined(separator: "."))_\(String(era, radix: 36))"
        }
        return "\(String(cursor.place, radix: 36))_\(String(cursor.begun, radix: 36))_\(String(era, radix: 36))"
    }
}
