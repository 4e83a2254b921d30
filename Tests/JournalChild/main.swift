import Glibc
import SQLiteJournal
import StateStore

/// A process with a journal, for tests that kill it or need a second one. It writes its results to standard output, one
/// line each.
///
/// - `hold DIRECTORY`: opens it, prints `open`, and waits for the end of standard input.
/// - `write DIRECTORY DURABILITY`: appends batches without end, and prints the version after each.
/// - `act DIRECTORY DURABILITY`: opens stores on it in which eight clients act without end, and prints each answer:
///   `SPACE VERSION ACTION INPUT`.
/// - `order DIRECTORY DURABILITY`: opens stores on it in which four customers order guitars without end, see
///   `Customers`.
/// - `check DIRECTORY`: prints the report of a check.
/// - `import DIRECTORY`: imports standard input, opens the journal, and prints `kept VERSION`.
/// - `endure DIRECTORY DURABILITY`: performs the orders on standard input, see `Endurance`.
/// - `fill DIRECTORY BYTES`: limits the size of files, appends until that fails, and prints `full VERSION KIND`. Then
///   it reads and prints `read VERSION`, lifts the limit, appends, and prints `kept VERSION`.
let arguments = CommandLine.arguments
let space = SpaceName("main") ?? .common

func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

/// A commit that is complete only with both of its values.
func commit(_ version: Int, attempt: String? = nil) -> CommitRecord {
    let value = Array("\(version)".utf8)
    let note = Array("\"\(String(repeating: "x", count: version % 500))\"".utf8)
    return CommitRecord(
        space: space, version: version, at: Timestamp(microseconds: Int64(version)), action: "counter/add",
        input: attempt.map { Array("\"\($0)\"".utf8) },
        facts: [
            Fact(variable: "counter.one", value: value), Fact(variable: "counter.note", value: note),
            Fact(variable: "counter.entries", entry: "\(version % 100)", value: value),
            Fact(variable: "counter.two", value: value),
        ])
}

func limitFiles(to bytes: rlim_t) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    limit.rlim_cur = min(bytes, limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
}

if arguments[1] == "import" {
    do {
        var version = 0
        try SQLiteJournal.import(into: arguments[2]) { () throws(JournalFailure) in
            readLine().map { Array($0.utf8) }
        }
        version = try SQLiteJournal(directory: arguments[2]).load(space)?.version ?? 0
        say("kept \(version)")
        exit(0)
    } catch {
        say("failed \(error)")
        exit(1)
    }
}

if arguments[1] == "check" {
    do {
        say("\(try SQLiteJournal.check(arguments[2]))")
        exit(0)
    } catch {
        say("failed \(error)")
        exit(1)
    }
}

do {
    let durability = arguments.count > 3 ? Durability(rawValue: arguments[3]) ?? .commit : .commit
    let history =
        arguments.count > 4 ? Int(arguments[4]) ?? .max : ["write", "fill"].contains(arguments[1]) ? 200 : Int.max
    let journal = try SQLiteJournal(directory: arguments[2], durability: durability, history: history)
    var version = try journal.load(space)?.version ?? 0
    switch arguments[1] {
    case "hold":
        say("open")
        while readLine() != nil {}
    case "act":
        try Writers.begin(in: journal)
        while readLine() != nil {}
    case "order":
        try Customers.begin(in: journal)
        while readLine() != nil {}
    case "endure":
        Endurance(journal, at: version).run()
    case "write":
        while true {
            let size = 1 + version % 7
            _ = try journal.append((version + 1...version + size).map { commit($0) })
            version += size
            say("\(version)")
        }
    default:
        signal(SIGXFSZ, SIG_IGN)
        limitFiles(to: rlim_t(arguments[3]) ?? 0)
        do {
            while true {
                _ = try journal.append([commit(version + 1)])
                version += 1
            }
        } catch {
            say("full \(version) \(error.kind) \(error)")
        }
        say("read \(try journal.load(space)?.version ?? -1)")
        limitFiles(to: .max)
        _ = try journal.append([commit(version + 1)])
        say("kept \(version + 1)")
    }
    if let failure = journal.close() {
        say("unclosed \(failure)")
        exit(1)
    }
} catch {
    say("failed \(error)")
    exit(1)
}
