import JSON

/// The bytes that a loaded space takes, by estimate. They are measured when the space is loaded, and again when as much
/// was committed as it had.
struct SpaceMemory {
    /// The bytes of an empty space: its features, views and broadcasters. Measured as the growth of the process by
    /// 20,000 reads of unused spaces.
    static let bytesAtLeast = 64 * 1_024
    /// The bytes in memory for each byte of a fact: its value, and the encoded views of it.
    static let factor = 4

    private(set) var total = Self.bytesAtLeast
    private var factBytes = 0
    /// The bytes of facts committed since the last measurement.
    private var committed = 0

    /// Takes the facts of a space that was loaded.
    mutating func measure(_ facts: some Collection<Fact>) {
        measure(factBytes: facts.reduce(0) { $0 + $1.size })
    }

    /// Takes the size of all facts.
    mutating func measure(factBytes: Int) {
        self.factBytes = factBytes
        committed = 0
        total = Self.bytesAtLeast + factBytes * Self.factor
    }

    /// Adds the facts of a commit; whether it is time to measure anew.
    mutating func add(_ facts: Facts) -> Bool {
        facts.forEach { committed += $0.size }
        return committed > max(factBytes, Self.bytesAtLeast)
    }
}

extension Fact {
    fileprivate var size: Int { variable.utf8.count + (entry?.utf8.count ?? 0) + (value?.count ?? 0) }
}

extension Space {
    var memory: Int { estimate.total }

    /// Notes the size of a space that was loaded.
    func measure(_ kept: StoredSpace?) {
        let before = memory
        estimate.measure(kept?.facts ?? [])
        noteMemory(before)
    }

    /// Notes the size of a commit. All that the space has is measured again when as much was committed as it had, so
    /// the cost stays in proportion.
    func noteCommitted(_ facts: Facts) {
        guard estimate.add(facts) else { return }
        let before = memory
        let sizes = features.flatMap(\.variables).map { variable in
            do throws(JSONError) {
                return try variable.stored.whole().count
            } catch {
                // It was written when it was committed; what cannot be written any more counts for nothing.
                return 0
            }
        }
        estimate.measure(factBytes: sizes.reduce(0, +))
        noteMemory(before)
    }

    private func noteMemory(_ before: Int) {
        cache?.noteMemory(of: self, before: before)
    }
}
