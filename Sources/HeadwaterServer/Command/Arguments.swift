import HTTP

/// The parser of the options of `serve`. The command line has precedence over the environment.
struct Arguments {
    private let program: Program
    /// The options of every program and those that this program adds.
    private let options: [Option]

    init(_ program: Program) {
        self.program = program
        options = Option.all + program.options.map(\.option)
    }

    func settings(_ arguments: [String], _ environment: [String: String]) throws(CommandFault) -> Settings {
        let given = try given(arguments)
        var settings = Settings()
        settings.limits.connectionCount = .max
        for option in options where !given.contains(where: { $0.option.name == option.name }) {
            guard let value = environment[option.variable], !value.isEmpty else { continue }
            do throws(CommandFault) {
                if let separators = option.separators {
                    for one in value.split(whereSeparator: separators.contains) {
                        guard one.contains(where: { !$0.isWhitespace }) else { continue }
                        try option.take(String(one), &settings)
                    }
                } else {
                    try option.take(value, &settings)
                }
            } catch {
                throw CommandFault("\(option.variable): \(error)")
            }
        }
        if let token = environment["HEADWATER_TOKEN"], !token.isEmpty { settings.token = token }
        settings.cluster.environment = environment
        for (option, value) in given { try option.take(value, &settings) }
        try checkOffered(given.map(\.option.name), settings.programValues)
        try settings.check()
        return settings
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
    private func given(_ arguments: [String]) throws(CommandFault) -> [(option: Option, value: String)] {
        var given: [(option: Option, value: String)] = []
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
