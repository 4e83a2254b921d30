internal import SQLiteJournal
internal import StateStore

/// The lives of the spaces, by the log: the life of a space is the number of its last `forget` entry, plus the base of
/// the settings. So all nodes have the same lives.
struct CopyLives: Hashable, Sendable {
    private var settings: ClusterSettings
    private var begun: [UInt64: Int] = [:]

    init(_ settings: ClusterSettings) {
        self.settings = settings
    }

    /// The table for the tags of clients.
    var table: LifeTable {
        LifeTable(era: settings.identity, count: .max, first: settings.lifeBase, begun: begun)
    }

    /// The number of the first life of every space.
    var base: Int { settings.lifeBase }

    /// Returns the row that stores the life of a space that was deleted.
    static func row(of space: SpaceName, life: Int) -> CopyRow {
        CopyRow("life \(String(space.digest, radix: 16))", "\(life)")
    }

    /// Takes later settings.
    mutating func take(_ settings: ClusterSettings) {
        self.settings = settings
    }

    /// Takes a row of a copy, if it stores a life.
    mutating func take(_ row: CopyRow) {
        let name = row.name.split(separator: " ")
        guard name.count == 2, name[0] == "life", let digest = UInt64(name[1], radix: 16), let life = Int(row.value)
        else { return }
        begun[digest] = life
    }
}

extension ClusterSettings {
    /// The settings as a row of a copy.
    var row: CopyRow { CopyRow("settings", HexText.text(of: bytes)) }

    /// Reads settings from the rows of a copy; nil if there are none.
    init?(_ rows: [CopyRow]) throws(EntryFault) {
        guard let row = rows.first(where: { $0.name == "settings" }) else { return nil }
        guard let bytes = HexText.bytes(of: row.value) else { throw .malformed }
        self = try ClusterSettings(bytes: bytes)
    }
}
