import Ground
import JSON
import StateStore

/// Rows of a view's history, encoded.
struct HistoryRows: Sendable {
    /// One row: its JSON object, and the view's tag then.
    struct WrittenRow: Sendable {
        let content: [UInt8]
        let tag: String
    }

    private(set) var rows: [WrittenRow] = []
    /// The bytes of the rows.
    private(set) var bytes = 0
    /// The moment up to which the history was read.
    private(set) var end: Moment
    /// False if the journal has later commits.
    private(set) var isWhole: Bool
    /// True if `common` has commits that the space has not shown yet.
    private(set) var waitsForCommon: Bool

    /// Encodes a page. A reader who may not read `common` does not learn who changed it.
    init(_ page: HistoryPage, of view: ViewKey, in space: SpaceName, _ tags: ViewTags, showsCommon: Bool) {
        end = page.end
        isWhole = page.isWhole
        waitsForCommon = page.waitsForCommon
        for row in page.rows {
            let content = Self.text(row, in: space, by: row.isOfCommon && !showsCommon ? "" : row.head.by)
            rows.append(
                WrittenRow(content: content, tag: tags.tag(of: [(view, row.frame)], at: row.moment, in: space)))
            bytes += content.count
        }
    }

    /// Adds the rows of the next page.
    mutating func append(_ next: HistoryRows) {
        rows += next.rows
        bytes += next.bytes
        end = next.end
        isWhole = next.isWhole
        waitsForCommon = next.waitsForCommon
    }

    /// All rows as an array.
    var content: [UInt8] { .array(of: rows) { $1 += $0.content } }

    private static func text(_ row: HistoryRow, in space: SpaceName, by: String) -> [UInt8] {
        var writer = JSONWriter(depth: JSONReader.greatestDepthLimit)
        writer.object { writer in
            writer.field("version", space == .common ? row.moment.common : row.moment.version)
            writer.field("common", row.moment.common)
            writer.field("at", RFC3339.text(microseconds: row.head.at.microseconds))
            writer.field("action", row.head.action)
            writer.field("by") { writer in writer.object { $0.field("sub", by) } }
            guard !row.isWithheld else {
                writer.field("value") { $0.null() }
                writer.field("withheld", ["/value"])
                return
            }
            writer.field("value", written: row.frame.written)
        }
        return writer.bytes
    }
}
