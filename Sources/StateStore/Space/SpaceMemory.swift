import JSON

/// The estimated bytes of a loaded space. The facts are measured when the space is loaded, and again after as many
/// committed bytes as the last measurement found.
struct SpaceMemory {
    /// The bytes of a space without features, and of its entry in the cache.
    static let bytesAtLeast = 1_024
    /// The bytes of an instantiated feature: its variables, actions and views.
    static let bytesPerFeature = 4 * 1_024
    /// The bytes of a watched instance of a view: its observables, and the copies of its name and value.
    static let bytesPerInstance = 2 * 1_024
    /// The bytes that a change of a row in memory only counts for until the state is measured again.
    static let bytesPerUnkeptChange = 256
    /// The facts are measured again at the earliest after this many bytes of commits.
    static let committedBytesAtLeast = 64 * 1_024

    private var factBytes = 0
    /// The number of rows of tables.
    private var rows = 0
    /// The bytes of the lists of maintained views.
    private var viewBytes = 0
    /// The number of instantiated features.
    private var features = 0
    /// The number of watched instances of views.
    private var instances = 0
    /// The bytes of indexes.
    private var indexBytes = 0
    /// The change of a commit that may be made now.
    private var expected: (size: Int, bytes: Int, rows: Int)?
    /// True if the commits since the last measurement may have added less than they wrote.
    private(set) var isUncertain = false
    /// The bytes of facts committed since the last measurement, and the rows that they may have added.
    private var committed = 0
    private var committedRows = 0

    var total: Int {
        Self.bytesAtLeast + features * Self.bytesPerFeature + instances * Self.bytesPerInstance
            + LoadedBytes.bytes(ofFacts: factBytes, rows: rows) + viewBytes + indexBytes
    }

    /// The most bytes that the space may have after a commit of some bytes and facts, if all commits since the last
    /// measurement have added what they wrote.
    func greatest(with size: Int, facts: Int = 0) -> Int {
        total + LoadedBytes.bytes(ofFacts: committed + size, rows: committedRows + facts)
    }

    /// Notes how many bytes and rows a commit adds whose facts have `size` bytes, should it be made now.
    mutating func expect(_ size: Int, bytes: Int, rows: Int) {
        expected = (size, bytes, rows)
    }

    /// Takes the size of all facts, the number of the rows among them, and the size of the lists of views.
    mutating func measure(factBytes: Int, rows: Int, viewBytes: Int) {
        self.factBytes = factBytes
        self.rows = rows
        self.viewBytes = viewBytes
        (committed, committedRows) = (0, 0)
        isUncertain = false
    }

    /// Sets the numbers of instantiated features and of watched instances of views, and the bytes of indexes. Returns false
    /// if all are the same as before.
    mutating func note(features: Int, instances: Int, indexBytes: Int) -> Bool {
        guard features != self.features || instances != self.instances || indexBytes != self.indexBytes else {
            return false
        }
        (self.features, self.instances, self.indexBytes) = (features, instances, indexBytes)
        return true
    }

    /// Adds the bytes of a commit of some facts. Returns true if the facts are to be measured again.
    mutating func add(_ bytes: Int, facts: Int) -> Bool {
        if let expected, expected.size == bytes {
            committed += expected.bytes
            rows = max(0, rows + expected.rows)
        } else {
            committed += bytes
            committedRows += facts
            isUncertain = true
        }
        expected = nil
        return committed > max(factBytes, Self.committedBytesAtLeast)
    }
}

extension Space {
    var memory: Int { estimate.total }

    /// Takes the size of a space that was loaded.
    func measure(_ stored: StoredSpace?) {
        let before = memory
        size = nil
        let facts = stored?.facts ?? []
        estimate.measure(
            factBytes: facts.reduce(0) { $0 + $1.size }, rows: facts.count { $0.entry != nil }, viewBytes: listBytes)
        noteMemory(before)
    }

    /// Updates the numbers of instantiated features and of watched instances of views, and the bytes of indexes.
    func measureFeatures() {
        let before = memory
        let isOther = estimate.note(
            features: features.madeCount, instances: instances.count, indexBytes: features.indexBytes)
        if isOther { noteMemory(before) }
    }

    /// Takes the size of a commit. All facts are measured again when as many bytes were committed as the space had, so
    /// the cost stays in proportion.
    func noteCommitted(_ facts: Facts) {
        takeNextSize(after: facts)
        noteBytes(facts.size, facts: facts.count)
    }

    /// Takes a number of changes of rows in memory only.
    func noteUnkept(_ count: Int) {
        noteBytes(count * SpaceMemory.bytesPerUnkeptChange, facts: 0)
    }

    private func noteBytes(_ count: Int, facts: Int) {
        let before = memory
        let isDue = estimate.add(count, facts: facts)
        if memory != before { noteMemory(before) }
        if isDue { measureAll() }
    }

    /// Measures the state and the lists of views.
    func measureAll() {
        let before = memory
        var (bytes, rows) = (features.pendingBytes + queues.size, 0)
        for variable in features.made.flatMap(\.variables) {
            // Encoding succeeded at the commit. A value that cannot be encoded any more counts as 0 bytes.
            bytes += (try? variable.size()) ?? 0
            rows += variable.rowCount
        }
        estimate.measure(factBytes: bytes, rows: rows, viewBytes: listBytes)
        noteMemory(before)
    }

    private func noteMemory(_ before: Int) {
        mayBuild = memory >= HeldLists.bytesAtLeast
        cache?.noteMemory(of: self, before: before)
    }
}
