internal import StateStore

/// The places of runs and deletions in the log that several machines share. Only a copy has their table.
final class LogPlaces {
    /// The table. A place ends with its run or its deletion.
    private static let table = """
        CREATE TABLE IF NOT EXISTS places ( -- where the commits of a run, or a deletion, stand in the log of the cluster
            seq INTEGER PRIMARY KEY,        -- as in runs and deletions
            lane INTEGER NOT NULL,
            place INTEGER NOT NULL          -- the number of the entry times 8192, and the number of the run in it, from 0
        );
        CREATE INDEX IF NOT EXISTS places_by_lane ON places (lane, place);
        CREATE TRIGGER IF NOT EXISTS places_of_runs AFTER DELETE ON runs
            BEGIN DELETE FROM places WHERE seq = old.seq; END;
        CREATE TRIGGER IF NOT EXISTS places_of_deletions AFTER DELETE ON deletions
            BEGIN DELETE FROM places WHERE seq = old.seq; END;
        """

    private let insert: Statement

    /// Makes the table, if there is none.
    init(_ connection: DatabaseConnection) throws(JournalFailure) {
        try connection.execute(Self.table)
        insert = try Statement(connection, "INSERT INTO places (seq, lane, place) VALUES (?1, ?2, ?3)")
    }

    /// Stores the place of the runs, or of the deletion, that an entry has added, in the transaction of the caller.
    func note(_ place: LogPlace?, after seq: Int, upTo newest: Int) throws(JournalFailure) {
        guard let place, newest > seq else { return }
        for added in (seq + 1)...newest {
            try insert.run(.integer(added), .integer(place.lane), .integer(place.place(ofRun: added - seq - 1)))
        }
    }
}
