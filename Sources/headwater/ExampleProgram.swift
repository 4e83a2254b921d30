import HeadwaterServer
import Systems

/// The program `headwater`: a server of the examples that `--examples` selects, with their options.
let exampleProgram = Program(
    options: [
        ProgramOption("examples", "none|NAME,…", "the examples to serve (all)") {
            text throws(ProgramOptionFault) in
            guard ExampleSelection(text) != nil else {
                throw ProgramOptionFault(
                    "takes none, all, or names of \(ExampleSelection.names.joined(separator: ", ")), not \"\(text)\"")
            }
            return text
        },
        .address("github-url", "the API that the feed queries (https://api.github.com)", of: ["feed"]),
        ProgramOption(
            "github-token", "TOKEN",
            "the feed's token; an option is visible to other users of the machine, the environment is not", of: ["feed"]
        ) { text throws(ProgramOptionFault) in
            guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw ProgramOptionFault("takes a token of visible ASCII characters")
            }
            return text
        },
        .address(
            "workshop-url", "the luthier's source of availability, build time and shipping (built in)", of: ["luthier"]),
        .address("rates-url", "the source of exchange rates (built in)", of: ["rates"]),
        ProgramOption(
            "workshop-latency", "MS", "answer time of the built-in workshop in milliseconds (400)", of: ["luthier"]
        ) { text throws(ProgramOptionFault) in
            guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text), number <= 600_000 else {
                throw ProgramOptionFault("takes a number from 0 to 600000, not \"\(text)\"")
            }
            return text
        },
    ],
    describedFeatures: ExampleSelection.names,
    firstRequests: { features in
        features.contains("user")
            ? [
                #"curl --json '{"name": "Ada"}' http://127.0.0.1:8080/v1/spaces/main/user/logIn"#,
                "curl http://127.0.0.1:8080/v1/spaces/main/user/title",
            ] : ["curl http://127.0.0.1:8080/v1"]
    },
    hasExampleStreams: { selection($0).hasStreams }
) { values in
    var configuration = SystemsConfiguration()
    if let url = values["github-url"] { configuration.gitHub = url }
    configuration.gitHubToken = values["github-token"]
    configuration.workshop = values["workshop-url"]
    configuration.rates = values["rates-url"]
    if let latency = values["workshop-latency"].flatMap({ Int($0) }) {
        configuration.workshopLatency = .milliseconds(latency)
    }
    return selection(values).features(configuration)
}

/// Returns the examples that the option selects, which has checked its value.
private func selection(_ values: [String: String]) -> ExampleSelection {
    values["examples"].flatMap { ExampleSelection($0) } ?? .all
}
