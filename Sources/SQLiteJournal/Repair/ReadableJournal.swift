internal import StateStore

/// All that is readable of a directory, space by space. Whole spaces are read as an export reads them; the rows of the
/// others are searched in the pages of the file.
final class ReadableJournal {
    /// A newer program may be this many versions of the schema ahead. A greater number is damage of the header.
    private static let schemaMargin = 32

    private let directory: String
    private let pages: SalvagedPages
    /// A reader in a transaction, which keeps the pages as they are; nil if SQLite cannot read the file.
    private let reader: JournalReader?
    private let backup: BackupSource?

    init(_ directory: String, from backup: String?) throws(JournalFailure) {
        self.directory = directory
        self.backup = try backup.map { path throws(JournalFailure) in try BackupSource(path) }
        let folder = JournalDirectory(path: directory)
        pages = try SalvagedPages(folder)
        try Self.checkHeader(pages, directory)
        reader = Self.reader(of: directory)
    }

    /// Throws if the file is no journal that this program can read. One changed bit is damage of a journal.
    private static func checkHeader(_ pages: SalvagedPages, _ directory: String) throws(JournalFailure) {
        guard let header = pages.images(of: 1).first else {
            throw JournalFailure(.damaged, "The journal in \(directory) is empty.")
        }
        let version = SalvagedPages.number(header, 60, 4)
        let application = SalvagedPages.number(header, 68, 4)
        let isOurs = (application ^ Schema.applicationID).nonzeroBitCount <= 1
        guard isOurs || !header.starts(with: "SQLite format 3\0".utf8) else {
            throw JournalFailure(.unusable, "The database in \(directory) is that of another program.")
        }
        let newest = Schema.steps.count
        guard !(newest + 1...newest + schemaMargin).contains(version) else {
            throw JournalFailure(
                .newer,
                "The journal in \(directory) was written by a newer Headwater (schema \(version); this one knows \(newest)). Use that one."
            )
        }
        guard !(1...2).contains(version) else {
            throw JournalFailure(
                .unusable,
                "The journal in \(directory) is of an older Headwater: start the server on it once, to bring it up to date."
            )
        }
    }

    private static func reader(of directory: String) -> JournalReader? {
        guard let connection = try? SQLiteJournal.inspect(directory) else { return nil }
        do throws(JournalFailure) {
            try connection.execute("BEGIN DEFERRED")
            // The first read fixes the moment.
            _ = try connection.integer("SELECT count(*) FROM meta")
            return try JournalReader(connection)
        } catch {
            return nil
        }
    }

    // MARK: Spaces

    /// The spaces that SQLite lists; nil if it cannot.
    private func listed() -> [(name: SpaceName, head: SpaceHead)]? {
        guard let reader else { return nil }
        var spaces: [(name: SpaceName, head: SpaceHead)] = []
        do throws(JournalFailure) {
            try reader.eachSpace { name, head throws(JournalFailure) in spaces.append((name, head)) }
            return spaces
        } catch {
            return nil
        }
    }

    /// The spaces without any damage, and the IDs of the others.
    private struct Division {
        var whole: [SpaceName: SpaceHead] = [:]
        var damaged: Set<Int> = []
        /// The first damage of each of these.
        var reasons: [Int: String] = [:]
    }

    private func divide(_ listed: [(name: SpaceName, head: SpaceHead)], _ reader: JournalReader) -> Division {
        var division = Division()
        for (name, head) in listed {
            var report = CheckReport()
            do throws(JournalFailure) {
                try SQLiteJournal.check(name, head, reader, &report) { _ in }
            } catch {
                report.add(error.description)
            }
            if let problem = report.problems.first {
                division.damaged.insert(head.id)
                division.reasons[head.id] = problem
            } else {
                division.whole[name] = head
            }
        }
        return division
    }

    /// Calls `write` with the records of one space, or of all in the order of their names.
    func run(
        space only: SpaceName? = nil, _ write: (ExportRecord) throws(JournalFailure) -> Void
    ) throws(JournalFailure) -> RepairReport {
        var report = RepairReport()
        var division = Division()
        var salvage: Salvage
        if let reader, let listed = listed() {
            division = divide(listed, reader)
            salvage = Salvage(pages, wanted: division.damaged)
            // An index may have lost a row that its page has.
            let ids = Set(listed.map(\.head.id))
            let hidden = listed.filter { salvage.newest[$0.head.id] ?? 0 > $0.head.version }
            let unlisted = Set(salvage.newest.keys).union(salvage.spaces.keys)
                .subtracting(ids).subtracting(salvage.forgotten)
            // The rows of `spaces` and `alarms` belong to no single commit.
            let renamed = listed.filter {
                salvage.spaces[$0.head.id]?.name != $0.name || !(salvage.spaces[$0.head.id]?.losses.isEmpty ?? true)
            }
            for (name, head) in hidden + renamed {
                division.whole[name] = nil
                division.damaged.insert(head.id)
            }
            if !hidden.isEmpty || !unlisted.isEmpty || !renamed.isEmpty {
                division.damaged.formUnion(unlisted)
                salvage = Salvage(pages, wanted: division.damaged)
            }
        } else {
            salvage = Salvage(pages)
            division.damaged = Set(salvage.spaces.keys).subtracting(salvage.forgotten)
        }
        report.losses = salvage.losses
        let rebuilds = try rebuilds(&salvage, division, &report)
        let names = (Array(division.whole.keys) + rebuilds.keys).filter { only == nil || $0 == only }
        if let only, names.isEmpty {
            throw JournalFailure(.unusable, "There is no readable space \(only) in \(directory).")
        }
        for name in names.sorted(by: { $0.description < $1.description }) {
            if let head = division.whole[name], let reader {
                report.whole += 1
                try SQLiteJournal.export(name, head, reader, write)
            } else if var rebuild = rebuilds[name] {
                try rebuild.run(write)
                report.rebuilt.append(name)
                report.losses += rebuild.losses
            }
        }
        return report
    }

    /// The spaces to make anew, by name.
    private func rebuilds(
        _ salvage: inout Salvage, _ division: Division, _ report: inout RepairReport
    ) throws(JournalFailure) -> [SpaceName: SpaceRebuild] {
        salvage.assignStrays(division.damaged)
        var rebuilds: [SpaceName: SpaceRebuild] = [:]
        for id in division.damaged.sorted() {
            guard let content = salvage.spaces[id] else { continue }
            var name = content.name
            if name == nil, let backup, let known = try backup.name(of: id), division.whole[known] == nil {
                name = known
            }
            if name == nil, content.head == nil, !salvage.lacksPages || content.runs.isEmpty && content.state.isEmpty {
                report.losses += content.losses
                if !content.runs.isEmpty || !content.state.isEmpty {
                    report.losses.append(
                        RepairReport.Loss(
                            space: nil, table: "spaces", versions: nil, key: "\(id)",
                            reason: "rows belong to no space"))
                }
                continue
            }
            guard let name = name ?? SpaceName("repaired-\(id)") else { continue }
            if content.name == nil {
                report.losses.append(
                    RepairReport.Loss(
                        space: name, table: "spaces", versions: nil, key: "\(id)",
                        reason: "the name of the space is lost"))
            }
            report.reasons[name] = division.reasons[id]
            rebuilds[name] = SpaceRebuild(
                name, content, try backup?.content(of: name), lacksPages: salvage.lacksPages, at: directory)
        }
        // A space whose rows are all lost is in the backup still.
        guard let backup, salvage.lacksPages || reader == nil else { return rebuilds }
        for name in try backup.names()
        where division.whole[name] == nil && rebuilds[name] == nil && !salvage.deleted.contains(name) {
            rebuilds[name] = SpaceRebuild(
                name, SalvagedSpace(), try backup.content(of: name), lacksPages: true, at: directory)
            report.losses.append(
                RepairReport.Loss(
                    space: name, table: "spaces", versions: nil, key: nil, reason: "the space is that of the backup"))
        }
        return rebuilds
    }
}
