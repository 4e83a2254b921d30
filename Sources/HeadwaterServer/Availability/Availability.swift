import Glibc
import Ground
import Platform
import Sockets
import SQLiteJournal
import StateStore
import Synchronization

/// The state of the whole server: does it shut down, and can the journal write?
final class Availability: Sendable {
    let log: Log
    private let isDraining_ = Atomic<Bool>(false)
    private let isUnwritable_ = Atomic<Bool>(false)
    private let damaged: DamagedSpaces?
    private let unserved: Lock<[UnservedDocument]>
    /// True if the space `common` was damaged at the start, so that no state is served.
    let lacksCommon: Bool

    /// The documents of a directory that are not served, because stored state would vanish by them.
    var unservedDocuments: [UnservedDocument] {
        get { unserved.with { $0 } }
        set { unserved.with { $0 = newValue } }
    }

    /// `damaged` has the damaged spaces of the journal; nil for state in memory.
    init(_ log: Log, _ damaged: DamagedSpaces? = nil, unserved: [UnservedDocument] = [], lacksCommon: Bool = false) {
        self.log = log
        self.lacksCommon = lacksCommon
        self.damaged = damaged
        self.unserved = Lock(unserved)
        damaged?.watch { space, reason in
            log.write(.error, "a space is damaged", [("space", space.description), ("reason", reason)])
        }
    }

    /// The damaged spaces in words; nil without any. The others are served, so the server is ready.
    var damage: String? {
        guard let names = damaged?.names, !names.isEmpty else { return nil }
        let listed = names.prefix(Self.namesLimit).map(\.description).joined(separator: ", ")
        let more = names.count > Self.namesLimit ? " and \(names.count - Self.namesLimit) more" : ""
        return "\(names.count) damaged: \(listed)\(more); save what is readable with \(ProgramName.text) repair"
    }

    /// The maximum number of names in `damage`.
    private static let namesLimit = 10

    /// True once the server shuts down.
    var isDraining: Bool { isDraining_.load(ordering: .relaxed) }
    /// True if the journal could not write, and has not written since.
    var isUnwritable: Bool { isUnwritable_.load(ordering: .relaxed) }

    func noteDraining() {
        isDraining_.store(true, ordering: .relaxed)
    }

    func noteCannotWrite(_ reason: String? = nil) {
        guard !isUnwritable_.exchange(true, ordering: .relaxed) else { return }
        log.write(.error, "commits cannot be written", reason.map { [("reason", $0)] } ?? [])
    }

    func noteCanWrite() {
        guard isUnwritable else { return }
        if isUnwritable_.exchange(false, ordering: .relaxed) { log.write(.info, "commits can be written again") }
    }

    /// Acts on the condition of the journal.
    func note(_ condition: JournalCondition) {
        switch condition {
        case .well: noteCanWrite()
        case .neglected(let failure):
            log.write(.warning, "maintenance of the journal fails", [("reason", failure.description)])
        case .suspended(let failure): noteCannotWrite(failure.description)
        case .lost(let failure):
            log.write(.error, "exiting: commits cannot be made durable", [("reason", failure.description)])
            // Soon, so that nothing is acknowledged any more.
            log.flush(within: 100_000_000)
            _exit(1)
        }
    }
}

/// A document of the directory that is not served, because stored state would vanish by it or by one that it is given.
struct UnservedDocument: Sendable {
    let feature: String
    let reason: String
}
