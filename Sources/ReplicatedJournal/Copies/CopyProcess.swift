internal import SQLiteJournal

/// The process that has a copy, or had it last. The next one may take its lease over at once.
enum CopyProcess {
    private static let name = "process"

    /// The row that names the process of a lease.
    static func row(of lease: Lease) -> CopyRow { CopyRow(name, String(lease.instance, radix: 16)) }

    /// Returns the random number of the process that rows name; nil for none.
    static func instance(in rows: [CopyRow]) -> UInt64? {
        rows.last { $0.name == name }.flatMap { UInt64($0.value, radix: 16) }
    }
}
