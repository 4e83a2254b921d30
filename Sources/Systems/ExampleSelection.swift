public import StateStore

/// The systems that a server has, and those whose state they read.
public struct ExampleSelection: Sendable {
    /// All systems.
    public static var all: ExampleSelection { ExampleSelection(including: names) }

    /// The names of all systems, in the order of their registration.
    public static var names: [String] { systems().map(\.name) }

    /// The system whose state a system reads.
    private static let given = ["cart": "catalog", "luthier": "rates", "feed": "activity"]

    private let selected: Set<String>

    /// The systems of some names, and those whose state they read.
    public init(including names: [String]) {
        selected = Set(names).union(names.compactMap { Self.given[$0] })
    }

    /// The systems of a list of names with commas in between, of `all` or of `none`; nil for a name that no system has.
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

    /// Returns the selected systems.
    public func features(_ configuration: SystemsConfiguration) -> [Feature] {
        systems(configuration).filter { selected.contains($0.name) }
    }
}
