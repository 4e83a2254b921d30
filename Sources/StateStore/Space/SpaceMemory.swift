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
    /// The bytes in memory for each byte of a fact: its value and the encoded views.
    static let factor = 4
    /// The facts are measured again at the earliest after this many bytes of commits.
    static let committedBytesAtLeast = 64 * 1_024

    private var factBytes = 0
    /// The number of instantiated features.
    private var features = 0
    /// The number of watched instances of views.
    private var instances = 0
    /// The bytes of indexes.
    private var indexBytes = 0
    /// The bytes of facts committed since the last measurement.
    private var committed = 0

    var total: Int {
        Self.bytesAtLeast + features * Self.bytesPerFeature + instances * Self.bytesPerInstance
            + factBytes * Self.factor + indexBytes
    }

    /// Takes the size of all facts.
    mutating func measure(factBytes: Int) {
        self.factBytes = factBytes
        committed = 0
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

    /// Adds the facts of a commit. Returns true if the facts are to be measured again.
    mutating func add(_ facts: Facts) -> Bool {
        facts.forEach { committed += $0.size }
        return committed > max(factBytes, Self.committedBytesAtLeast)
    }
}

extension Space {
    var memory: Int { estimate.total }

    /// Takes the size of a space that was loaded.
    func measure(_ stored: StoredSpace?) {
        let before = memory
        size = nil
        estimate.measure(factBytes: stored?.facts.reduce(0) { $0 + $1.size } ?? 0)
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
        guard estimate.add(facts) else { return }
        let before = memory
        let sizes = features.made.flatMap(\.variables).map { variable in
            do throws(JSONError) {
                return try variable.size()
            } catch {
                // Encoding succeeded at the commit. A value that cannot be encoded any more counts as 0 bytes.
                return 0
            }
        }
        estimate.measure(factBytes: sizes.reduce(features.pendingBytes + queues.size, +))
        noteMemory(before)
    }

    private func noteMemory(_ before: Int) {
        cache?.noteMemory(of: self, before: before)
    }
}
