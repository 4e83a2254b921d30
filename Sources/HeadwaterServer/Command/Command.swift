import SQLiteJournal
import StateStore

/// The commands of the command line.
enum Command {
    /// Runs the command and returns the exit status.
    static func run(_ arguments: [String], _ environment: [String: String]) -> Int32 {
        switch arguments.first {
        case "--version": return say("headwater \(Version.text) (\(Version.commit))")
        case "--help", "-h": return say(Help.overview)
        case "help": return help(arguments.dropFirst().first)
        case "serve": return serve(Array(arguments.dropFirst()), environment)
        case "health": return health(Array(arguments.dropFirst()), environment)
        case "check":
            return withDirectory(arguments, options: []) { directory, _ throws(JournalFailure) in try check(directory) }
        case "export":
            return withDirectory(arguments, options: ["--space"]) { directory, options throws(JournalFailure) in
                try export(directory, options["--space"])
            }
        case "import":
            return withDirectory(arguments, options: []) { directory, _ throws(JournalFailure) in
                try importLines(into: directory)
            }
        case "backup":
            return withDirectory(arguments, options: [], target: "the directory to make") {
                directory, options throws(JournalFailure) in
                try backup(directory, to: options["target"] ?? "")
            }
        case "eval": return Evaluation.run(Array(arguments.dropFirst()))
        case nil: return serve([], environment)
        case .some(let word) where word.hasPrefix("--"): return serve(arguments, environment)
        case .some(let word):
            return ServerLifecycle.fail(
                CommandFault(
                    "no such command: \(word); see headwater help"
                ), 2)
        }
    }

    private static func say(_ text: String) -> Int32 {
        StandardStreams.print(text)
        return 0
    }

    private static func help(_ command: String?) -> Int32 {
        guard let command else { return say(Help.overview) }
        guard let text = Help.of(command) else {
            return ServerLifecycle.fail(
                CommandFault("no such command: \(command); headwater help lists all commands"), 2)
        }
        return say(text)
    }

    /// The running server. It stays allocated until the process ends, because its objects refer to each other. The leak
    /// checker then reports real leaks only.
    // nonisolated(unsafe) is safe here: the variable is written once, before a second thread starts.
    private nonisolated(unsafe) static var serving: ServerLifecycle?

    private static func serve(_ arguments: [String], _ environment: [String: String]) -> Int32 {
        if arguments.contains("--help") { return help("serve") }
        let settings: Settings
        do throws(CommandFault) {
            settings = try Arguments.settings(arguments, environment)
            _ = try settings.tokens()
        } catch {
            return ServerLifecycle.fail(error, 2)
        }
        do throws(CommandFault) {
            let serving = try ServerLifecycle(settings)
            Self.serving = serving
            return serving.run()
        } catch {
            return ServerLifecycle.fail(error)
        }
    }

    private static func health(_ arguments: [String], _ environment: [String: String]) -> Int32 {
        if arguments.contains("--help") { return help("health") }
        guard arguments.count <= 1 else {
            return ServerLifecycle.fail(CommandFault("health takes one URL: see headwater help health"), 2)
        }
        let health: Health
        do throws(CommandFault) {
            health = try Health(arguments.first, environment)
        } catch {
            return ServerLifecycle.fail(error, 2)
        }
        do throws(CommandFault) {
            try health.ask()
            return 0
        } catch {
            return ServerLifecycle.fail(error)
        }
    }

    // MARK: Directories

    private static func withDirectory(
        _ arguments: [String], options known: [String], target: String? = nil,
        _ body: (String, [String: String]) throws(JournalFailure) -> Int32
    ) -> Int32 {
        let command = arguments[0]
        if arguments.contains("--help") { return help(command) }
        var directory: String?
        var options: [String: String] = [:]
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            if argument.hasPrefix("--") {
                let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
                guard known.contains(parts[0]) else {
                    return ServerLifecycle.fail(
                        CommandFault("\(command) has no option \(parts[0]): see headwater help \(command)"), 2)
                }
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    return ServerLifecycle.fail(CommandFault("\(parts[0]) takes a value"), 2)
                }
                options[parts[0]] = value
            } else if directory == nil {
                directory = argument
            } else if target != nil, options["target"] == nil {
                options["target"] = argument
            } else {
                let count = target == nil ? "one directory" : "two directories"
                return ServerLifecycle.fail(CommandFault("\(command) takes \(count): see headwater help \(command)"), 2)
            }
        }
        guard let directory else {
            return ServerLifecycle.fail(CommandFault("\(command) takes a directory: see headwater help \(command)"), 2)
        }
        if let target, options["target"]?.isEmpty ?? true {
            return ServerLifecycle.fail(CommandFault("\(command) takes \(target): see headwater help \(command)"), 2)
        }
        if let space = options["--space"], SpaceName(space) == nil {
            return ServerLifecycle.fail(CommandFault("--space takes the name of a space, not \"\(space)\""), 2)
        }
        do throws(JournalFailure) {
            return try body(directory, options)
        } catch {
            return ServerLifecycle.fail(CommandFault(error.description))
        }
    }

    private static func check(_ directory: String) throws(JournalFailure) -> Int32 {
        let report = try SQLiteJournal.check(directory)
        StandardStreams.print("\(report)")
        return report.isWhole ? 0 : 1
    }

    private static func backup(_ directory: String, to target: String) throws(JournalFailure) -> Int32 {
        // A trailing slash has no meaning.
        var name = target[...]
        while name.count > 1, name.hasSuffix("/") { name.removeLast() }
        let report = try SQLiteJournal.backup(directory, to: String(name))
        let milliseconds = Int(report.seconds * 1_000)
        StandardStreams.printError("\(report.bytes) bytes copied to \(name) in \(milliseconds) ms")
        return 0
    }

    private static func export(_ directory: String, _ space: String?) throws(JournalFailure) -> Int32 {
        var lines = OutputLines()
        try SQLiteJournal.export(directory, space: space.flatMap { SpaceName($0) }) { line throws(JournalFailure) in
            try lines.add(line)
        }
        try lines.flush()
        return 0
    }

    private static func importLines(into directory: String) throws(JournalFailure) -> Int32 {
        var count = 0
        try SQLiteJournal.import(into: directory) { () throws(JournalFailure) in
            guard let line = readLine() else { return nil }
            count += 1
            return Array(line.utf8)
        }
        StandardStreams.printError("\(count) lines imported into \(directory)")
        return 0
    }
}
