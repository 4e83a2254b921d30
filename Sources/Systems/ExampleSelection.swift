public import StateStore

/// The examples that a server has: systems, with those whose state they read, and streams.
public struct ExampleSelection: Sendable {
    /// All examples.
    public static var all: ExampleSelection { ExampleSelection(including: names) }

    /// The names of all examples: the systems in the order of their registration, then `streams`.
    public static var names: [String] { systems().map(\.name) + [streams] }

    /// The name of the example streams, with which every space starts.
    private static let streams = "streams"

    /// The system whose state a system reads.
    private static let given = ["cart": "catalog", "luthier": "rates", "feed": "activity"]

    private let selected: Set<String>

    /// The examples of some names, and the systems whose state they read.
    public init(including names: [String]) {
        selected = Set(names).union(names.compactMap { Self.given[$0] })
    }

    /// The examples of a list of names with commas in between, of `all` or of `none`; nil for a name that none has.
    public init?(_ text: String) {
        switch text {
        case "all": self = .all
        case "none": self.init(including: [])
        default:
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard names.allSatisfy(Self.names.contains) else { return nil }
            self.init(including: names)
        }
    }

    /// True if every space starts with the example streams.
    public var hasStreams: Bool { selected.contains(Self.streams) }

    /// Returns the selected systems.
    public func features(_ configuration: SystemsConfiguration) -> [Feature] {
        systems(configuration).filter { selected.contains($0.name) }
    }
}
