import Synchronization

/// The time zones that formulas know by name. The host reads them: the model opens no file.
package enum ZoneDatabase {
    /// Returns the file of a zone (TZif, RFC 8536), as `Europe/Paris`; nil if there is none. Called on any thread.
    package typealias ZoneReading = @Sendable (_ name: String) -> [UInt8]?

    /// A function as the value of a lock would be wrapped anew by each access, and be slower each time.
    private struct ZoneHost {
        var read: ZoneReading
    }

    private static let host = Mutex(ZoneHost { _ in nil })
    // The cache has no eviction: there are about six hundred names, and only existing ones are stored.
    private static let tables = Mutex<[String: ZoneTable]>([:])

    /// Takes the zones of the host, for the whole process. Without a call only UTC and fixed offsets are known.
    package static func use(_ read: @escaping ZoneReading) {
        host.withLock { $0.read = read }
    }

    /// Returns the table of a zone that has been read.
    static func known(_ name: String) -> ZoneTable? { tables.withLock { $0[name] } }

    /// Reads the table of a zone, and caches it.
    static func read(_ name: String) -> ZoneTable? {
        // Only names of the database pass, so a name cannot leave the host's folder.
        guard ZoneFile.isName(name), let bytes = host.withLock({ $0.read })(name), let table = ZoneFile.table(bytes)
        else { return nil }
        tables.withLock { $0[name] = table }
        return table
    }
}
