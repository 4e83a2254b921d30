/// The configuration of the systems' external services.
public struct SystemsConfiguration: Sendable {
    /// The base URL of the workshop; nil for the built-in one.
    public var workshop: String?
    /// The delay of each answer of the built-in workshop.
    public var workshopLatency = Duration.milliseconds(400)
    /// The URL of the exchange rates; nil for the built-in table.
    public var rates: String?
    /// The base URL of GitHub's API.
    public var gitHub = "https://api.github.com"
    /// The token for GitHub's API, if any.
    public var gitHubToken: String?

    /// Creates a configuration with the built-in services and the public GitHub.
    public init() {}
}
