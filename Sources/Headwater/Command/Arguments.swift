import HTTP

/// Reads the options of `serve`: those of the command line win over those of the environment.
enum Arguments {
    static func settings(_ arguments: [String], _ environment: [String: String]) throws(CommandFault) -> Settings {
        var settings = Settings()
        settings.limits.connectionCount = .max
        for option in Option.all {
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
        var rest = arguments[...]
        var given: Set<String> = []
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--"), argument.count > 2 else {
                throw CommandFault("\"\(argument)\" means nothing here: headwater help serve")
            }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = Option.all.first(where: { $0.name == parts[0] }) else {
                throw CommandFault("there is no option --\(parts[0]): headwater help serve")
            }
            given.insert(option.name)
            if option.argument == nil {
                guard parts.count == 1 else { throw CommandFault("--\(option.name) takes no value") }
                try option.take("", &settings)
            } else if parts.count == 2 {
                try option.take(String(parts[1]), &settings)
            } else {
                guard let value = rest.popFirst() else { throw CommandFault("--\(option.name) takes \(option.argument ?? "a value")") }
                try option.take(value, &settings)
            }
        }
        guard !(given.contains("data") && given.contains("memory")) else {
            throw CommandFault("--data and --memory exclude each other: choose one")
        }
        try settings.check()
        return settings
    }
}
