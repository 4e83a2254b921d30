internal import StateStore

/// The tables, and the steps that upgrade those of an older program.
enum Schema {
    /// The application ID of Headwater's databases: "Head" in ASCII.
    static let applicationID = 0x4865_6164

    /// The upgrade from each version to the next. A released step never changes; a new step follows it.
    static let steps = [
        """
        CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        INSERT INTO meta VALUES ('epoch', 0);
        CREATE TABLE spaces (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            snapshot INTEGER NOT NULL DEFAULT 0, -- the version that the rows in state make
            oldest INTEGER NOT NULL DEFAULT 0    -- commits after this version are in commits
        );
        CREATE TABLE commits (
            seq INTEGER PRIMARY KEY, -- the order in which they came, across spaces
            space INTEGER NOT NULL,
            version INTEGER NOT NULL,
            at INTEGER NOT NULL,     -- microseconds since 1970
            action TEXT NOT NULL,
            input TEXT,
            changed TEXT NOT NULL,   -- JSON: variable to new value; of those in partial, entry to new value or null
            partial TEXT,            -- JSON: variables that changed by entry
            key TEXT,
            fingerprint INTEGER,
            sum INTEGER              -- of what stands before it; set it to NULL after mending by hand
        );
        CREATE UNIQUE INDEX commits_by_version ON commits (space, version);
        CREATE TABLE state (
            space INTEGER NOT NULL,
            variable TEXT NOT NULL,
            entry TEXT NOT NULL,     -- JSON: the key; empty for the variable as a whole
            value TEXT NOT NULL,
            sum INTEGER,
            PRIMARY KEY (space, variable, entry)
        ) WITHOUT ROWID;
        CREATE TABLE answers (
            seq INTEGER PRIMARY KEY,
            space INTEGER NOT NULL,
            key TEXT NOT NULL,
            fingerprint INTEGER NOT NULL,
            version INTEGER NOT NULL,
            changed TEXT NOT NULL,
            at INTEGER NOT NULL,
            sum INTEGER
        );
        CREATE UNIQUE INDEX answers_by_key ON answers (space, key);
        CREATE TABLE forgotten (space INTEGER PRIMARY KEY);
        CREATE VIEW history AS
            SELECT name AS space, version, strftime('%Y-%m-%dT%H:%M:%fZ', at / 1e6, 'unixepoch') AS at, action, input, changed, partial, key
            FROM commits JOIN spaces ON spaces.id = commits.space ORDER BY seq;
        CREATE VIEW snapshots AS
            SELECT name AS space, snapshot AS version, variable, nullif(entry, '') AS entry, value
            FROM state JOIN spaces ON spaces.id = state.space;
        """,
        """
        CREATE TABLE work (space INTEGER PRIMARY KEY); -- spaces whose last commit left work for their effects
        """,
        """
        CREATE TABLE runs (
            seq INTEGER PRIMARY KEY, -- the order in which they came, across spaces
            space INTEGER NOT NULL,
            first INTEGER NOT NULL,  -- the version of its first commit
            last INTEGER NOT NULL,   -- and of its last
            commits TEXT NOT NULL,   -- JSON: an array of commits; of what changed, each variable's new value, or of those in partial each entry's
            leaves TEXT,             -- JSON: the last value of each variable, where those are few and none changed by entry
            sum INTEGER              -- of what stands before it; set it to NULL after mending by hand
        );
        CREATE UNIQUE INDEX runs_by_version ON runs (space, last);
        INSERT INTO runs (space, first, last, commits)
            SELECT space, version, version, '[{"version":' || version || ',"at":' || at || ',"action":' || json_quote(action)
                || ifnull(',"input":' || input, '') || ',"changed":' || changed || ifnull(',"partial":' || partial, '')
                || iif(key IS NULL, '', ',"key":' || json_quote(key) || printf(',"fingerprint":"%x"', fingerprint)) || '}]'
            FROM commits ORDER BY seq;
        DROP VIEW history;
        DROP TABLE commits;
        CREATE VIEW history AS -- SQLite 3.40 takes its functions of JSON for unsafe in a view: whoever does not trust the schema reads runs
            SELECT name AS space, one.value ->> 'version' AS version,
                strftime('%Y-%m-%dT%H:%M:%fZ', (one.value ->> 'at') / 1e6, 'unixepoch') AS at, one.value ->> 'action' AS action,
                one.value -> 'input' AS input, one.value -> 'changed' AS changed, one.value -> 'partial' AS partial,
                one.value ->> 'key' AS key
            FROM runs JOIN spaces ON spaces.id = runs.space, json_each(runs.commits) AS one
            WHERE one.value ->> 'version' > oldest ORDER BY seq, one.id;
        """,
        """
        ALTER TABLE spaces ADD COLUMN sum INTEGER;       -- of id and name
        ALTER TABLE runs ADD COLUMN before_space INTEGER; -- the run that was appended before this one, by its space
        ALTER TABLE runs ADD COLUMN before_last INTEGER;  -- and its last version
        """,
        """
        ALTER TABLE spaces ADD COLUMN past INTEGER NOT NULL DEFAULT 0; -- the states from this version on are in state and past
        ALTER TABLE state ADD COLUMN since INTEGER; -- the version that set the value; NULL if no longer known
        CREATE TABLE past (           -- the values that state had before
            space INTEGER NOT NULL,
            variable TEXT NOT NULL,
            entry TEXT NOT NULL,      -- as in state
            until INTEGER NOT NULL,   -- the version that replaced or removed the value
            since INTEGER,            -- the version that set it; NULL if no longer known
            value TEXT NOT NULL,
            sum INTEGER,
            PRIMARY KEY (space, variable, entry, until)
        ) WITHOUT ROWID;
        CREATE INDEX past_by_end ON past (space, until);
        CREATE TABLE touches (        -- the commits up to the snapshot that changed a variable by entry
            space INTEGER NOT NULL,
            variable TEXT NOT NULL,
            version INTEGER NOT NULL,
            PRIMARY KEY (space, variable, version)
        ) WITHOUT ROWID;
        CREATE TABLE alarms (         -- the earliest alarm of each space that has one
            space INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,      -- microseconds since 1970
            sum INTEGER
        );
        CREATE INDEX alarms_by_time ON alarms (at);
        CREATE TABLE deletions (      -- the deleted spaces, in one order with runs
            seq INTEGER PRIMARY KEY,
            space TEXT NOT NULL,
            sum INTEGER
        );
        CREATE TABLE drops (          -- the commits that were dropped because they exceeded the history
            seq INTEGER PRIMARY KEY,  -- the newest seq when they did
            place INTEGER NOT NULL    -- the newest of them: its seq times 4096, and its number in the run, from 1
        );
        INSERT INTO meta SELECT 'last seq', ifnull(max(seq), 0) FROM runs;
        UPDATE spaces SET past = snapshot WHERE snapshot > 0;
        DROP VIEW history;
        DROP VIEW snapshots;
        CREATE VIEW history AS -- needs PRAGMA trusted_schema = ON, because SQLite 3.40 takes its functions of JSON for unsafe in a view
            SELECT name AS space, one.value ->> 'version' AS version, ifnull(one.value ->> 'common', 0) AS common,
                strftime('%Y-%m-%dT%H:%M:%fZ', (one.value ->> 'at') / 1e6, 'unixepoch') AS at, ifnull(one.value ->> 'by', '') AS by,
                one.value ->> 'action' AS action,
                one.value -> 'input' AS input, one.value -> 'changed' AS changed, one.value -> 'partial' AS partial,
                one.value ->> 'key' AS key
            FROM runs JOIN spaces ON spaces.id = runs.space, json_each(runs.commits) AS one
            WHERE one.value ->> 'version' > oldest ORDER BY seq, one.id;
        CREATE VIEW snapshots AS
            SELECT name AS space, snapshot AS version, variable, nullif(entry, '') AS entry, value, since
            FROM state JOIN spaces ON spaces.id = state.space;
        CREATE VIEW earlier AS
            SELECT name AS space, since, until, variable, nullif(entry, '') AS entry, value
            FROM past JOIN spaces ON spaces.id = past.space;
        """,
        // Release 0.4. The tables stay, but rows of hooks and documents have members that 0.3 does not know.
        "",
    ]

    /// The schema with the present tables. The steps after it change no table, so a file of it can be read as it is.
    static let tablesVersion = 5

    /// Creates or upgrades the tables in one transaction.
    static func migrate(_ connection: DatabaseConnection, steps: [String] = steps) throws(JournalFailure) {
        let version = try check(connection, steps: steps)
        guard version < steps.count else { return }
        try connection.transaction { () throws(JournalFailure) in
            for step in steps[version...] { try connection.execute(step) }
            try connection.execute("PRAGMA application_id = \(applicationID)")
            try connection.execute("PRAGMA user_version = \(steps.count)")
        }
    }

    /// Returns the version of the tables, or throws if this program cannot read them. Reads the root page of each
    /// table.
    @discardableResult
    static func check(_ connection: DatabaseConnection, steps: [String] = steps) throws(JournalFailure) -> Int {
        let version = try connection.integer("PRAGMA user_version")
        let application = try connection.integer("PRAGMA application_id")
        if version == 0, try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 { return 0 }
        guard application == applicationID else {
            throw JournalFailure(
                .unusable,
                "\(connection.path) is the database of another program, not a journal of Headwater. Name another directory."
            )
        }
        guard version <= steps.count else {
            throw JournalFailure(
                .newer,
                "\(connection.path) was written by a newer Headwater (schema \(version); this one knows \(steps.count)). Use that one."
            )
        }
        for table in ["meta", "spaces", version > 2 ? "runs" : "commits", "state", "answers"]
            + (version > 1 ? ["work"] : []) + (version > 4 ? ["past", "touches", "alarms", "deletions", "drops"] : [])
        {
            do {
                _ = try connection.integer("SELECT 1 FROM \(table) LIMIT 1")
            } catch {
                throw error.kind == .damaged ? error : .damaged(connection.path, "its table \(table) cannot be read")
            }
        }
        return version
    }
}
