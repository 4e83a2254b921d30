import NATSLog
import ReplicatedJournal
import StateStore

/// The command `headwater cluster`: init, restore, show, drain and repair.
struct ClusterCommand {
    /// The task.
    private enum Task {
        case initialize(lanes: Int, replicas: Int)
        case restore(String, to: String, lanes: Int?, replicas: Int)
        case show
        case drain(String)
        case repair(Lane, from: String)
    }

    private let task: Task
    private let settings: NATSSettings

    /// Runs the command and returns the exit status: 0 if it is done, 1 if it was refused, 2 for wrong arguments.
    static func run(_ arguments: [String], _ environment: [String: String]) -> Int32 {
        let command: ClusterCommand
        do throws(CommandFault) {
            command = try ClusterCommand(arguments, environment)
        } catch {
            return ServerLifecycle.fail(error, 2)
        }
        do throws(ClusterFault) {
            let administration = try ClusterAdministration(command.settings)
            defer { administration.close() }
            try command.run(administration)
            return 0
        } catch {
            return ServerLifecycle.fail(CommandFault(error.description))
        }
    }

    private func run(_ administration: ClusterAdministration) throws(ClusterFault) {
        switch task {
        case .initialize(let lanes, let replicas):
            let isNew = try administration.initialize(lanes: lanes, replicas: replicas)
            StandardStreams.print(
                isNew
                    ? "cluster \(settings.cluster): \(lanes) lanes and common, \(replicas) copies"
                    : "cluster \(settings.cluster) exists with \(lanes) lanes: nothing done")
        case .restore(let backup, let directory, let lanes, let replicas):
            let copy = try administration.restore(replicas: replicas) { () throws(ClusterFault) in
                do throws(JournalFailure) {
                    return try RestoredCopy(of: backup, in: directory, lanes: lanes)
                } catch {
                    throw ClusterFault(error.description)
                }
            }
            StandardStreams.print(
                "cluster \(settings.cluster): \(copy.lanes) lanes and common, \(replicas) copies. Start its first node with --data \(directory), the others with empty directories"
            )
        case .show:
            for line in try administration.report().lines { StandardStreams.print(line) }
        case .drain(let node):
            try administration.drain(node)
            StandardStreams.print("the node \(node) hands its lanes over: see \(ProgramName.text) cluster show")
        case .repair(let lane, let node):
            let (kept, had) = try administration.repair(lane, from: node)
            let lost = had.map { max(0, $0 - kept) } ?? 0
            StandardStreams.print(
                "the lane \(lane) goes on after the entry \(kept) of the node \(node)"
                    + (lost > 0 ? "; \(lost) later entries of the log are gone" : ""))
        }
    }

    // MARK: Arguments

    private init(_ arguments: [String], _ environment: [String: String]) throws(CommandFault) {
        let name = ProgramName.text
        let own: [String: Set<String>] = [
            "init": ["--lanes", "--replicas"], "restore": ["--lanes", "--replicas"], "show": [], "drain": [],
            "repair": ["--from"],
        ]
        let (all, options) = try Self.parts(arguments, own.values.reduce([], { $0.union($1) }))
        guard let word = all.first else {
            throw CommandFault("cluster takes init, restore, show, drain or repair: see \(name) help cluster")
        }
        guard let known = own[word] else {
            throw CommandFault("cluster has no command \(word): see \(name) help cluster")
        }
        if let other = options.keys.first(where: { !known.contains($0) && !Self.shared.contains($0) }) {
            throw CommandFault("cluster \(word) has no option \(other): see \(name) help cluster")
        }
        let words = all.dropFirst()
        let arguments = ["drain": ["a node"], "repair": ["a lane"], "restore": ["a backup", "a new directory"]]
        let wanted = arguments[word] ?? []
        guard words.count == wanted.count else {
            throw CommandFault(
                wanted.isEmpty
                    ? "cluster \(word) takes no argument \"\(words[1])\""
                    : "cluster \(word) takes \(wanted.joined(separator: " and ")): see \(name) help cluster")
        }
        switch word {
        case "init":
            task = .initialize(
                lanes: try Self.number(options, "--lanes", 1...Lane.limit) ?? Lane.defaultCount,
                replicas: try Self.number(options, "--replicas", 1...5) ?? 3)
        case "restore":
            task = .restore(
                words[1], to: words[2], lanes: try Self.number(options, "--lanes", 1...Lane.limit),
                replicas: try Self.number(options, "--replicas", 1...5) ?? 3)
        case "show": task = .show
        case "drain": task = .drain(try Self.node(words[1]))
        default:
            guard let lane = Lane(words[1]) else {
                throw CommandFault("a lane is a number from 0, or common, not \"\(words[1])\"")
            }
            guard let node = options["--from"] else {
                throw CommandFault("cluster repair takes --from NODE: the node whose copy is right")
            }
            task = .repair(lane, from: try Self.node(node))
        }
        settings = try Self.settings(options, environment)
    }

    /// The options of all tasks; the last takes no value.
    private static let shared: Set = [
        "--journal", "--cluster", "--journal-creds", "--journal-password-file", "--journal-accept-old-server",
    ]

    /// Splits the arguments into words and options with values.
    private static func parts(
        _ arguments: [String], _ own: Set<String>
    ) throws(CommandFault) -> (words: [String], options: [String: String]) {
        let valued = own.union(shared)
        var (words, options) = ([String](), [String: String]())
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                words.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if argument == "--journal-accept-old-server" {
                options[argument] = ""
            } else if valued.contains(parts[0]) {
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    throw CommandFault("\(parts[0]) takes a value")
                }
                options[parts[0]] = value
            } else {
                throw CommandFault("cluster has no option \(parts[0]): see \(ProgramName.text) help cluster")
            }
        }
        return (words, options)
    }

    private static func settings(
        _ options: [String: String], _ environment: [String: String]
    ) throws(CommandFault) -> NATSSettings {
        func value(_ option: String, _ variable: String) -> String? {
            options[option] ?? environment[variable].flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let journal = value("--journal", "HEADWATER_JOURNAL") else {
            throw CommandFault("cluster takes --journal nats://HOST:PORT[,…], or HEADWATER_JOURNAL")
        }
        guard let cluster = value("--cluster", "HEADWATER_CLUSTER") else {
            throw CommandFault("cluster takes --cluster NAME, or HEADWATER_CLUSTER")
        }
        let credentials = try ClusterOptions(
            passwordFile: value("--journal-password-file", "HEADWATER_JOURNAL_PASSWORD_FILE"), environment: environment
        ).credentials()
        do throws(NATSFault) {
            var settings = NATSSettings(
                servers: try NATSServer.list(journal), cluster: cluster, name: "\(ProgramName.text) cluster")
            settings.credentialsFile = value("--journal-creds", "HEADWATER_JOURNAL_CREDS")
            settings.acceptsOldServer =
                value("--journal-accept-old-server", "HEADWATER_JOURNAL_ACCEPT_OLD_SERVER") != nil
            try settings.takeUser(from: credentials)
            try settings.check()
            return settings
        } catch {
            throw CommandFault(error.description)
        }
    }

    private static func number(
        _ options: [String: String], _ name: String, _ range: ClosedRange<Int>
    ) throws(CommandFault) -> Int? {
        guard let text = options[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw CommandFault(
                "\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\"")
        }
        return number
    }

    private static func node(_ text: String) throws(CommandFault) -> String {
        guard Lease.isName(text) else {
            throw CommandFault("a node's name has 1 to 64 letters, digits, - and _, not \"\(text)\"")
        }
        return text
    }
}
