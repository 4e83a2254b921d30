import Ground
import HTTP

/// The reader of the options of `serve`. The command line has precedence over the environment, and the environment over
/// the configuration file.
struct Arguments {
    /// The settings that were read, with all faults in them.
    struct ReadSettings {
        var settings = Settings()
        var faults: [CommandFault] = []
        /// The values of the configuration file by option, in the order of its lines.
        var configured: [String: [String]] = [:]

        /// Runs `body`, and keeps what it throws. With the name of an origin, faults begin with it.
        fileprivate mutating func collect(
            _ origin: String? = nil, _ body: (inout Settings) throws(CommandFault) -> Void
        ) {
            do throws(CommandFault) {
                try body(&settings)
            } catch {
                faults.append(origin.map { CommandFault("\($0): \(error)") } ?? error)
            }
        }
    }

    private typealias Given = (option: Option, value: String)

    private let program: Program
    /// The options of every program and those that this program adds.
    private let options: [Option]

    init(_ program: Program) {
        self.program = program
        options = Option.all + program.options.map(\.option)
    }

    /// Returns the settings, or throws the first fault.
    func settings(_ arguments: [String], _ environment: [String: String]) throws(CommandFault) -> Settings {
        let reading = read(arguments, environment)
        if let fault = reading.faults.first { throw fault }
        return reading.settings
    }

    /// Reads the settings, and all faults of them and of the files that they name.
    func read(_ arguments: [String], _ environment: [String: String]) -> ReadSettings {
        var reading = ReadSettings()
        reading.settings.limits.connectionCount = .max
        reading.settings.cluster.environment = environment
        var given: [Given] = []
        reading.collect { _ throws(CommandFault) in given = try self.given(arguments) }
        let names = Set(given.map(\.option.name))
        let path = given.last { $0.option.name == Option.configuration.name }?.value
        if let path = path ?? environment[Option.configuration.variable], !path.isEmpty {
            takeFile(path, into: &reading) { option in
                !names.contains(option.name) && environment[option.variable]?.isEmpty ?? true
            }
        }
        for option in options where !names.contains(option.name) {
            guard let value = environment[option.variable], !value.isEmpty else { continue }
            reading.collect(option.variable) { settings throws(CommandFault) in
                guard let separators = option.separators else { return try option.take(value, &settings) }
                for one in value.split(whereSeparator: separators.contains)
                where one.contains(where: { !$0.isWhitespace }) {
                    try option.take(String(one), &settings)
                }
            }
        }
        if let token = environment["HEADWATER_TOKEN"], !token.isEmpty { reading.settings.token = token }
        for (option, value) in given {
            reading.collect { settings throws(CommandFault) in try option.take(value, &settings) }
        }
        reading.collect { settings throws(CommandFault) in
            try checkOffered(given.map(\.option.name), settings.programValues)
        }
        let isPlaced = ["host", "port"].contains { name in
            names.contains(name) || reading.configured[name] != nil
                || options.contains { $0.name == name && environment[$0.variable]?.isEmpty == false }
        }
        reading.collect { settings throws(CommandFault) in
            try settings.takeSocket(environment, isPlaced: isPlaced)
        }
        // Contradictions between settings that are faulty themselves help nobody.
        if reading.faults.isEmpty { reading.faults = reading.settings.faults }
        return reading
    }

    /// Takes the options of the file that `isOpen` permits: those that have no value of more precedence.
    private func takeFile(_ path: String, into reading: inout ReadSettings, _ isOpen: (Option) -> Bool) {
        let file: ConfigurationFile
        do throws(CommandFault) {
            file = try ConfigurationFile(path)
        } catch {
            return reading.faults.append(error)
        }
        reading.faults += file.faults
        var firstLines: [String: Int] = [:]
        for line in file.lines {
            guard line.name != Option.configuration.name else {
                reading.faults.append(file.fault("a configuration file names no other file", at: line.number))
                continue
            }
            guard let option = options.first(where: { $0.name == line.name }) else {
                let nearest = Spelling.nearest(to: line.name, among: options.map(\.name))
                let hint = nearest.map { "; did you mean \($0)?" } ?? ""
                reading.faults.append(file.fault("no such option: \(line.name)\(hint)", at: line.number))
                continue
            }
            if option.separators == nil, let first = firstLines.updateValue(line.number, forKey: option.name) {
                reading.faults.append(file.fault("\(option.name) has a value in line \(first)", at: line.number))
                continue
            }
            reading.configured[option.name, default: []].append(line.value)
            guard isOpen(option) else { continue }
            reading.collect("\(path), line \(line.number)") { settings throws(CommandFault) in
                guard !line.value.isEmpty else { throw CommandFault("\(option.name) has no value") }
                try option.take(line.value, &settings)
            }
        }
        if let data = firstLines["data"], let memory = firstLines["memory"] {
            reading.faults.append(
                file.fault("data and memory exclude each other: use one of them", at: max(data, memory)))
        }
    }

    /// Throws if an option of the command line belongs to features that are left out.
    private func checkOffered(_ names: [String], _ values: [String: String]) throws(CommandFault) {
        let offered = Set(program.options(with: values).map(\.name))
        for option in program.options where names.contains(option.name) && !offered.contains(option.name) {
            throw CommandFault(
                "--\(option.name) is an option of \(option.features.joined(separator: ", ")), which is left out")
        }
    }

    /// Returns the options of the command line with their values.
    private func given(_ arguments: [String]) throws(CommandFault) -> [Given] {
        var given: [Given] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--"), argument.count > 2 else {
                throw CommandFault("unexpected argument \"\(argument)\": see \(ProgramName.text) help serve")
            }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = options.first(where: { $0.name == parts[0] }) else {
                throw CommandFault("no such option: --\(parts[0]); see \(ProgramName.text) help serve")
            }
            if option.argument == nil {
                guard parts.count == 1 else { throw CommandFault("--\(option.name) takes no value") }
                given.append((option, ""))
            } else if parts.count == 2 {
                given.append((option, String(parts[1])))
            } else {
                guard let value = rest.popFirst() else {
                    throw CommandFault("--\(option.name) takes \(option.argument ?? "a value")")
                }
                given.append((option, value))
            }
        }
        guard !["data", "memory"].allSatisfy({ name in given.contains { $0.option.name == name } }) else {
            throw CommandFault("--data and --memory exclude each other: use one of them")
        }
        return given
    }
}
