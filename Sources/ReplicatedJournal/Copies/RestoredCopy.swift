internal import Ground
internal import SQLiteJournal
package import StateStore

/// A backup that becomes the first copy of a new cluster. The log of each lane begins after the entries that the copy
/// has, so nodes without a copy take one from this node.
package struct RestoredCopy: Sendable {
    /// The number of lanes, besides that of `common`.
    package let lanes: Int
    /// The numbers of the last entries that the copy has.
    package let positions: [Lane: Int]

    /// Copies a backup, of a node or of a single server, into a new directory, as a copy of a new cluster. Throws if the
    /// backup is of a cluster with another number of lanes than `lanes`; nil stands for the number of that cluster.
    package init(
        of backup: String, in directory: String, lanes wanted: Int?
    ) throws(JournalFailure) {
        _ = try SQLiteJournal.backup(backup, to: directory)
        let journal = try SQLiteJournal(directory: directory)
        do throws(JournalFailure) {
            let rows = try journal.rows()
            let former: ClusterSettings?
            do throws(EntryFault) {
                former = try ClusterSettings(rows)
            } catch {
                throw JournalFailure(.damaged, "the settings of the cluster in \(backup) cannot be read")
            }
            if let former, let wanted, former.lanes != wanted {
                throw JournalFailure(
                    .unusable,
                    "\(backup) is of a cluster with \(former.lanes) lanes, not \(wanted): export it, import that, and restore from there to change them"
                )
            }
            let settings = ClusterSettings.new(lanes: former?.lanes ?? wanted ?? Lane.defaultCount)
            let known = Dictionary(rows.compactMap { LanePosition.read($0) }.map { ($0.lane, $0.position) }) { $1 }
            var positions: [Lane: Int] = [:]
            var changed = [settings.row]
            for lane in Lane.all(settings.lanes) {
                var position = LanePosition()
                // The commits have their places among the entries of the former cluster. A log that begins with its
                // first entry would need no copy.
                position.number = max(1, known[lane]?.number ?? 0)
                position.chain = EntryChain(
                    first: .random(in: .min ... .max), second: .random(in: .min ... .max))
                positions[lane] = position.number
                changed.append(position.row(of: lane))
            }
            try journal.apply([], rows: changed)
            self.lanes = settings.lanes
            self.positions = positions
        } catch {
            _ = journal.close()
            throw error
        }
        if let failure = journal.close() { throw failure }
    }
}
