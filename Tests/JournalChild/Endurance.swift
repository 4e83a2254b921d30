import Glibc
import SQLiteJournal
import StateStore

/// A writer that continues after each failure. Each line of standard input is one order, answered by one line:
///
/// - `append`: appends the next version of `main`, with an input unique to this attempt; answers `kept VERSION ATTEMPT`
///   or `failed VERSION ATTEMPT KIND`.
/// - `fill`: appends 1,100 versions of `main` at once; answers `kept VERSION`.
/// - `plant`: appends a version with a row `a` of the table `counter.rows`; answers `kept VERSION`.
/// - `erase`: erases that row; answers `kept VERSION`.
/// - `settle`: runs the maintenance; answers `settled` or `unsettled KIND`.
/// - `probe`: answers `ready` or `unready KIND`.
/// - `forget`: deletes `main`; answers `forgotten` or `failed forget KIND`.
///
/// The end of standard input closes the journal; the exit status is 1 if that failed.
final class Endurance {
    private let journal: SQLiteJournal
    private var version: Int
    private var attempt = 0

    init(_ journal: SQLiteJournal, at version: Int) {
        self.journal = journal
        self.version = version
    }

    func run() {
        say("open \(version)")
        while let order = readLine() {
            do throws(JournalFailure) {
                try follow(order)
            } catch {
                let what = [
                    "append": "failed \(version + 1) \(getpid())-\(attempt)", "settle": "unsettled", "probe": "unready",
                ]
                say("\(what[order] ?? "failed \(order)") \(error.kind)")
            }
        }
    }

    private func follow(_ order: String) throws(JournalFailure) {
        switch order {
        case "append":
            attempt += 1
            // Appends like a journal writer: at once if the journal need not wait.
            let commits = [commit(version + 1, attempt: "\(getpid())-\(attempt)")]
            if try journal.appendAtOnce(commits) == nil { _ = try journal.append(commits) }
            version += 1
            say("kept \(version) \(getpid())-\(attempt)")
        case "fill":
            let count = 1_100
            _ = try journal.append((version + 1...version + count).map { commit($0) })
            version += count
            say("kept \(version)")
        case "plant", "erase":
            let row = order == "plant" ? Array("\"ERASED-ROW \(version)\"".utf8) : nil
            let record = CommitRecord(
                space: space, version: version + 1, at: Timestamp(microseconds: Int64(version + 1)),
                action: order == "plant" ? "counter/plant" : "space/erase", input: row,
                facts: [Fact(variable: "counter.rows", entry: "a", value: row)])
            _ = try journal.append([record])
            version += 1
            say("kept \(version)")
        case "settle":
            try journal.settle()
            say("settled")
        case "forget":
            _ = try journal.forget(space)
            version = 0
            say("forgotten")
        default:
            try journal.probe()
            say("ready")
        }
    }
}
