import HTTP

/// Reads the options of `serve`: those of the command line win over those of the environment.
enum Arguments {
    static func settings(_ arguments: [String], _ environment: [String: String]) throws(CommandFault) -> Settings {
        let given = try given(arguments)
        var settings = Settings()
        settings.limits.connectionCount = .max
        for option in Option.all where !given.contains(where: { $0.option.name == option.name }) {
            guard let value = environment[option.variable], !value.isEmpty else { continue }
            do throws(CommandFault) {
                if option.isList {
                    for one in value.split(whereSeparator: { $0 == "," || $0 == " " }) { try option.take(String(one), &settings) }
                } else {
                    try option.take(value, &settings)
                }
            } catch {
                throw CommandFault("\(option.variable): \(error)")
            }
        }
        if let token = environment["HEADWATER_TOKEN"], !token.isEmpty { settings.token = token }
        for (option, value) in given { try option.take(value, &settings) }
        try settings.check()
        return settings
    }

    /// The options of the command line, each with what it was given.
    private static func given(_ arguments: [String]) throws(CommandFault) -> [(option: Option, value: String)] {
        var given: [(option: Option, value: String)] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--"), argument.count > 2 else {
                throw CommandFault("\"\(argument)\" means nothing here: headwater help serve")
            }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = Option.all.first(where: { $0.name == parts[0] }) else {
                throw CommandFault("there is no option --\(parts[0]): headwater help serve")
            }
            if option.argument == nil {
                guard parts.count == 1 else { throw CommandFault("--\(option.name) takes no value") }
                given.append((option, ""))
            } else if parts.count == 2 {
                given.append((option, String(parts[1])))
            } else {
                guard let value = rest.popFirst() else { throw CommandFault("--\(option.name) takes \(option.argument ?? "a value")") }
                given.append((option, value))
            }
        }
        guard !["data", "memory"].allSatisfy({ name in given.contains { $0.option.name == name } }) else {
            throw CommandFault("--data and --memory exclude each other: choose one")
        }
        return given
    }
}
