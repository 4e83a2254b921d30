public import StateStore

/// A setting of a program: an option of `serve`, a variable of the environment and a line of the configuration file, all
/// of one name.
public struct FeatureSetting: Sendable {
    let name: String
    let argument: String
    let help: String
    let fallback: String
    let check: @Sendable (String) -> String?

    /// A setting: `publisher-url` is `--publisher-url URL` and `HEADWATER_PUBLISHER_URL`. `fallback` is its value if none
    /// is given. `check` returns what a value must be if it is not permitted, as the rest of a sentence: "takes a number".
    public init(
        _ name: String, _ argument: String, _ help: String, default fallback: String = "",
        check: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
        (self.name, self.argument, self.help, self.fallback, self.check) = (name, argument, help, fallback, check)
    }

    var option: ProgramOption {
        ProgramOption(name, argument, help) { [check] value throws(ProgramOptionFault) in
            if let demand = check(value) { throw ProgramOptionFault("\(demand), not \"\(value)\"") }
            return value
        }
    }
}

/// The values of the settings of a program.
public struct FeatureSettings: Sendable {
    private let values: [String: String]

    init(_ settings: [FeatureSetting], _ given: [String: String]) {
        values = Dictionary(settings.map { ($0.name, given[$0.name] ?? $0.fallback) }) { first, _ in first }
    }

    /// The value of a setting. Precondition: the program has a setting of this name.
    public subscript(_ name: String) -> String {
        guard let value = values[name] else { preconditionFailure("the program has no setting \(name)") }
        return value
    }
}

extension Headwater {
    /// Runs the command line of a program whose features depend on settings of its own, and ends the process with its exit
    /// status.
    ///
    ///     Headwater.serve(settings: [FeatureSetting("publisher-url", "URL", "the server that counts pages")]) { settings in
    ///         [library(settings["publisher-url"])]
    ///     }
    public static func serve(
        settings: [FeatureSetting], arguments: [String] = Headwater.arguments,
        features: @escaping @Sendable (FeatureSettings) -> [Feature]
    ) -> Never {
        serve(
            Program(options: settings.map(\.option)) { values in features(FeatureSettings(settings, values)) },
            arguments: arguments)
    }
}
