import SQLiteJournal
import Sockets
import StateStore

/// The commands of the command line of a program.
struct Command {
    private let program: Program
    private let help: Help

    init(_ program: Program) {
        self.program = program
        help = Help(program)
    }

    /// Runs the command and returns the exit status.
    func run(_ arguments: [String], _ environment: [String: String]) -> Int32 {
        switch arguments.first {
        case "--version": return say("\(Version.line)")
        case "--help", "-h": return describe(nil, environment)
        case "help": return describe(arguments.dropFirst().first, environment)
        case "serve": return serve(Array(arguments.dropFirst()), environment)
        case "health": return health(Array(arguments.dropFirst()), environment)
        case "check":
            return withDirectory(arguments, options: []) { directory, _ throws(JournalFailure) in try check(directory) }
        case "export":
            return withDirectory(arguments, options: ["--space"], switches: ["--skip-damaged"]) {
                directory, options throws(JournalFailure) in
                try export(directory, options["--space"], skipsDamaged: options["--skip-damaged"] != nil)
            }
        case "repair":
            return withDirectory(arguments, options: ["--from"], target: "the directory to make") {
                directory, options throws(JournalFailure) in
                try repair(directory, to: options["target"] ?? "", from: options["--from"])
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
        case "cluster":
            if arguments.contains("--help") { return describe("cluster", environment) }
            return ClusterCommand.run(Array(arguments.dropFirst()), environment)
        case "clock": return clock(Array(arguments.dropFirst()), environment)
        case "test", "check-features":
            let runsTests = arguments[0] == "test"
            return withDirectory(
                arguments, options: runsTests ? [] : ["--against"], switches: runsTests ? [] : ["--plan"]
            ) { directory, options in
                let command = DocumentCommand(program, runsTests: runsTests, showsPlan: options["--plan"] != nil)
                return options["--against"].map { command.run(directory, against: $0, environment) }
                    ?? command.run(directory, environment)
            }
        case "load":
            if arguments.contains("--help") { return describe("load", environment) }
            return load(Array(arguments.dropFirst()), environment)
        case "watch":
            return with(arguments) { words throws(CommandFault) in try WatchCommand(words, environment).run() }
        case "act":
            return with(arguments) { words throws(CommandFault) in try ActCommand(words, environment).run() }
        case "dev": return develop(Array(arguments.dropFirst()), environment)
        case "generate":
            return with(arguments) { words throws(CommandFault) in try GenerateCommand(words, environment).run() }
        case "editor":
            return with(arguments) { words throws(CommandFault) in
                guard words.count <= 1, !(words.first?.hasPrefix("-") ?? false) else {
                    throw CommandFault("editor takes one directory: see \(ProgramName.text) help editor", status: 2)
                }
                try EditorSetup(words.first ?? ".").run()
            }
        case "explain":
            return with(arguments) { words throws(CommandFault) in
                let explanation: Explanation
                do throws(CommandFault) {
                    explanation = try Explanation(words, environment)
                } catch {
                    throw CommandFault(error.description, status: 2)
                }
                try explanation.run()
            }
        case "eval":
            if arguments.contains("--help") { return describe("eval", environment) }
            return Evaluation.run(Array(arguments.dropFirst()))
        case nil: return serve([], environment)
        case .some(let word) where word.hasPrefix("--"): return serve(arguments, environment)
        case .some(let word):
            return ServerLifecycle.fail(CommandFault("no such command: \(word); see \(ProgramName.text) help"), 2)
        }
    }

    /// Runs a command with the words after its name, and returns the exit status.
    private func with(_ arguments: [String], _ body: ([String]) throws(CommandFault) -> Void) -> Int32 {
        if arguments.contains("--help") { return describe(arguments[0]) }
        do throws(CommandFault) {
            try body(Array(arguments.dropFirst()))
            return 0
        } catch {
            return ServerLifecycle.fail(error, error.status)
        }
    }

    private func say(_ text: String) -> Int32 {
        StandardStreams.print(text)
        return 0
    }

    private func describe(_ command: String?, _ environment: [String: String] = [:]) -> Int32 {
        guard let command else { return say(help.overview(values([], environment))) }
        guard let text = help.text(of: command, values([], environment)) else {
            return ServerLifecycle.fail(
                CommandFault("no such command: \(command); \(ProgramName.text) help lists all commands"), 2)
        }
        return say(text)
    }

    /// Returns the values of the options that the program adds. With a fault in any option, these are none: a
    /// description has no use for a fault.
    private func values(_ arguments: [String], _ environment: [String: String]) -> [String: String] {
        (try? Arguments(program).settings(arguments, environment))?.programValues ?? [:]
    }

    /// The running server. It stays allocated until the process ends, because its objects refer to each other. The leak
    /// checker then reports real leaks only.
    // nonisolated(unsafe) is safe here: the variable is written once, before a second thread starts.
    private nonisolated(unsafe) static var serving: ServerLifecycle?

    private func develop(_ words: [String], _ environment: [String: String]) -> Int32 {
        if words.contains("--help") { return describe("dev") }
        do throws(CommandFault) {
            let command = try DevelopmentCommand(
                words, hasExamples: program.options.contains { $0.name == "examples" })
            try command.prepare()
            return serve(command.arguments, environment, isDevelopment: true)
        } catch {
            return ServerLifecycle.fail(error, error.status)
        }
    }

    private func serve(
        _ arguments: [String], _ environment: [String: String], isDevelopment: Bool = false
    ) -> Int32 {
        if arguments.contains("--help") {
            return say(help.serve(values(arguments.filter { $0 != "--help" }, environment)))
        }
        let checksOnly = arguments.contains("--check")
        let options = arguments.filter { $0 != "--check" }
        let read = { [program] in Arguments(program).read(options, environment) }
        let reading = read()
        var settings = reading.settings
        settings.isDevelopment = isDevelopment
        if checksOnly {
            for fault in reading.faults { _ = ServerLifecycle.fail(fault) }
            return reading.faults.isEmpty ? say("the configuration is valid") : 2
        }
        if let fault = reading.faults.first { return ServerLifecycle.fail(fault, 2) }
        do throws(CommandFault) {
            let serving = try ServerLifecycle(
                settings, program.features(settings.programValues),
                hasExampleStreams: program.hasExampleStreams(settings.programValues),
                describedFeatures: program.describedFeatures)
            if let path = settings.configuration {
                serving.reportConfiguration =
                    TakenConfiguration(path: path, values: reading.configured, read: read).report
            }
            Self.serving = serving
            return serving.run()
        } catch {
            return ServerLifecycle.fail(error, error.status)
        }
    }

    private func health(_ arguments: [String], _ environment: [String: String]) -> Int32 {
        if arguments.contains("--help") { return describe("health") }
        guard arguments.count <= 1 else {
            return ServerLifecycle.fail(CommandFault("health takes one URL: see \(ProgramName.text) help health"), 2)
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

    private func load(_ arguments: [String], _ environment: [String: String]) -> Int32 {
        let load: LoadCommand
        do throws(CommandFault) {
            load = try LoadCommand(arguments, environment)
        } catch {
            return ServerLifecycle.fail(error, 2)
        }
        do throws(CommandFault) {
            return try load.run()
        } catch {
            return ServerLifecycle.fail(error)
        }
    }

    // MARK: Directories

    /// Makes the time of commits follow the machine's clock back.
    private func clock(_ arguments: [String], _ environment: [String: String]) -> Int32 {
        if arguments.contains("--help") { return describe("clock") }
        guard arguments.first == "accept", arguments.count <= 2, arguments.last?.hasPrefix("-") != true else {
            return ServerLifecycle.fail(
                CommandFault("clock takes accept and a directory: see \(ProgramName.text) help clock"), 2)
        }
        let given = arguments.count == 2 ? arguments[1] : environment["HEADWATER_DATA"] ?? ""
        do throws(CommandFault) {
            let directory = given.isEmpty ? "./headwater-data" : given
            try ClockAcceptance(directory).ask()
            StandardStreams.printError("the server on \(directory) follows the machine's clock within a second")
            return 0
        } catch {
            return ServerLifecycle.fail(error)
        }
    }

    private func withDirectory(
        _ arguments: [String], options known: [String], switches: [String] = [], target: String? = nil,
        _ body: (String, [String: String]) throws(JournalFailure) -> Int32
    ) -> Int32 {
        let command = arguments[0]
        if arguments.contains("--help") { return describe(command) }
        var directory: String?
        var options: [String: String] = [:]
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            if switches.contains(argument) {
                options[argument] = ""
            } else if argument.hasPrefix("--") {
                let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
                guard known.contains(parts[0]) else {
                    return ServerLifecycle.fail(
                        CommandFault("\(command) has no option \(parts[0]): see \(ProgramName.text) help \(command)"), 2
                    )
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
                return ServerLifecycle.fail(
                    CommandFault("\(command) takes \(count): see \(ProgramName.text) help \(command)"), 2)
            }
        }
        guard let directory else {
            return ServerLifecycle.fail(
                CommandFault("\(command) takes a directory: see \(ProgramName.text) help \(command)"), 2)
        }
        if let target, options["target"]?.isEmpty ?? true {
            return ServerLifecycle.fail(
                CommandFault("\(command) takes \(target): see \(ProgramName.text) help \(command)"), 2)
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

    private func check(_ directory: String) throws(JournalFailure) -> Int32 {
        let report = try SQLiteJournal.check(directory)
        StandardStreams.print("\(report)")
        return report.isWhole ? 0 : 1
    }

    private func backup(_ directory: String, to target: String) throws(JournalFailure) -> Int32 {
        // A trailing slash has no meaning.
        var name = target[...]
        while name.count > 1, name.hasSuffix("/") { name.removeLast() }
        let report = try SQLiteJournal.backup(directory, to: String(name))
        let milliseconds = Int(report.seconds * 1_000)
        StandardStreams.printError("\(report.bytes) bytes copied to \(name) in \(milliseconds) ms")
        return 0
    }

    private func export(_ directory: String, _ space: String?, skipsDamaged: Bool) throws(JournalFailure) -> Int32 {
        var lines = OutputLines()
        let name = space.flatMap { SpaceName($0) }
        if skipsDamaged {
            let report = try SQLiteJournal.exportReadable(directory, space: name) { line throws(JournalFailure) in
                try lines.add(line)
            }
            if !report.isWhole { StandardStreams.printError("\(report)") }
        } else {
            try SQLiteJournal.export(directory, space: name) { line throws(JournalFailure) in try lines.add(line) }
        }
        try lines.flush()
        return 0
    }

    private func repair(_ directory: String, to target: String, from backup: String?) throws(JournalFailure) -> Int32 {
        StandardStreams.print("\(try SQLiteJournal.repair(directory, to: target, from: backup))")
        StandardStreams.printError("\(target) has all that is readable: start a server on it, or check it first")
        return 0
    }

    private func importLines(into directory: String) throws(JournalFailure) -> Int32 {
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

/// The command `headwater health`: a request to a running server. A container's health check needs no curl with it.
struct Health {
    /// The time limit of the request in seconds.
    static let patienceSeconds = 3

    private let address: ServerAddress
    private let path: String

    /// The server at `address`. Without an address, the server that the same environment would start.
    init(_ address: String?, _ environment: [String: String]) throws(CommandFault) {
        guard let address else {
            self.address = ServerAddress(environment)
            path = "/healthz"
            return
        }
        let fault = CommandFault("health takes a URL such as http://127.0.0.1:8080/readyz, not \"\(address)\"")
        guard let (server, path) = ServerAddress.parse(address) else { throw fault }
        (self.address, self.path) = (server, path.isEmpty ? "/healthz" : path)
    }

    /// Sends the request. Throws unless the status is 200.
    func ask() throws(CommandFault) {
        let answer: [UInt8]
        do throws(SystemFailure) {
            answer = try address.ask("GET", path, patience: Self.patienceSeconds, limit: 64 * 1_024)
        } catch {
            throw CommandFault(error.description)
        }
        let line = String(decoding: answer.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        guard line.hasPrefix("HTTP/1.1 200 ") else {
            throw CommandFault("\(address)\(path): \(line.isEmpty ? "empty answer" : line)")
        }
    }
}

/// The configuration file as the server took it at its start.
struct TakenConfiguration {
    let path: String
    /// The values by option.
    let values: [String: [String]]
    /// Reads the settings again.
    let read: () -> Arguments.ReadSettings

    /// Reads the file again, and writes a line for each fault and one for the options that have other values now. These
    /// need a restart: of a running server, SIGHUP changes the contents of the files that its options name.
    func report(to log: Log) {
        let reading = read()
        for fault in reading.faults {
            log.write(.error, "the configuration is faulty", [("reason", fault.description)])
        }
        guard reading.faults.isEmpty else { return }
        let changed = changes(in: reading.configured)
        if changed.isEmpty {
            log.write(.info, "the configuration is unchanged", [("file", path)])
        } else {
            log.write(
                .warning, "options have changed, and need a restart",
                [("file", path), ("options", changed.joined(separator: ", "))])
        }
    }

    /// The options whose values differ, in alphabetical order.
    func changes(in new: [String: [String]]) -> [String] {
        Set(values.keys).union(new.keys).filter { values[$0] != new[$0] }.sorted()
    }
}
