import Glibc
package import StateStore

/// A program with a command line: the features that it serves, and the options that it adds to those of every program.
package struct Program: Sendable {
    /// The added options, in the order of the help text.
    let options: [ProgramOption]
    /// Returns the lines of the help text that show the first requests to a server with some features.
    let firstRequests: @Sendable (_ features: [String]) -> [String]
    /// The features that `openapi.yaml` describes in words.
    let describedFeatures: Set<String>
    /// Returns true if every space starts with the example streams, for the values of the added options.
    let hasExampleStreams: @Sendable (_ values: [String: String]) -> Bool
    /// Returns the features for the values of the added options, by name.
    let features: @Sendable (_ values: [String: String]) -> [Feature]

    /// A program.
    package init(
        options: [ProgramOption] = [], describedFeatures: [String] = [],
        firstRequests: @escaping @Sendable (_ features: [String]) -> [String] = { _ in
            ["curl http://127.0.0.1:8080/v1"]
        },
        hasExampleStreams: @escaping @Sendable (_ values: [String: String]) -> Bool = { _ in false },
        features: @escaping @Sendable (_ values: [String: String]) -> [Feature]
    ) {
        self.options = options
        self.describedFeatures = Set(describedFeatures + ["streams"])
        self.firstRequests = firstRequests
        self.hasExampleStreams = hasExampleStreams
        self.features = features
    }

    /// Returns the added options that the program has with some values: those of its features.
    func options(with values: [String: String]) -> [ProgramOption] {
        let names = Set(features(values).map(\.name))
        return options.filter { $0.features.isEmpty || !names.isDisjoint(with: $0.features) }
    }
}

/// An option that a program adds to the command line of `serve`.
package struct ProgramOption: Sendable {
    let name: String
    /// The placeholder of the value.
    let argument: String
    let help: String
    /// The program has the option if it serves one of these features; empty for an option that it always has.
    let features: [String]
    /// Returns the value, or throws a fault without the name of the option.
    let check: @Sendable (String) throws(ProgramOptionFault) -> String

    /// An option.
    package init(
        _ name: String, _ argument: String, _ help: String, of features: [String] = [],
        check: @escaping @Sendable (String) throws(ProgramOptionFault) -> String
    ) {
        self.name = name
        self.argument = argument
        self.help = help
        self.features = features
        self.check = check
    }

    /// An option that takes a URL of the scheme http or https. Its value has no slash at the end.
    package static func address(_ name: String, _ help: String, of features: [String]) -> ProgramOption {
        ProgramOption(name, "URL", help, of: features) { text throws(ProgramOptionFault) in
            guard text.hasPrefix("http://") || text.hasPrefix("https://"), !text.contains(where: \.isWhitespace) else {
                throw ProgramOptionFault("takes a URL that begins with http:// or https://, not \"\(text)\"")
            }
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        }
    }

    /// The option among those of the server.
    var option: Option {
        Option(name, argument, help) { [name, check] text, settings throws(CommandFault) in
            do throws(ProgramOptionFault) {
                settings.programValues[name] = try check(text)
            } catch {
                throw CommandFault("--\(name) \(error.demand)")
            }
        }
    }
}

/// A value that an option of a program does not take.
package struct ProgramOptionFault: Error {
    /// The permitted values, as the rest of a sentence: "takes a URL, not 7".
    let demand: String

    /// A fault.
    package init(_ demand: String) {
        self.demand = demand
    }
}

extension Headwater {
    /// Runs the command line of a program, and ends the process with its exit status.
    package static func serve(_ program: Program, arguments: [String] = Headwater.arguments) -> Never {
        var environment: [String: String] = [:]
        for (name, value) in Environment.all { environment[name] = value }
        // Without /proc, `CommandLine.arguments` is empty.
        var arguments = arguments.isEmpty && CommandLine.arguments.isEmpty ? Headwater.arguments[...] : arguments[...]
        if let path = Headwater.arguments.first, arguments.first == path { arguments.removeFirst() }
        exit(Command(program).run(Array(arguments), environment))
    }
}

/// The environment variables of this process.
enum Environment {
    static var all: [(String, String)] {
        var variables: [(String, String)] = []
        var next = environ
        while let entry = next.pointee {
            let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables.append((String(parts[0]), String(parts[1]))) }
            next += 1
        }
        return variables
    }
}
