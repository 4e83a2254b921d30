/// What the systems are told of the outside.
public struct SystemsConfiguration: Sendable {
    /// Where the workshop's paths begin; nil for the built-in one,
    public var workshop: String?
    /// which takes so long for each answer.
    public var workshopLatency = Duration.milliseconds(400)
    /// Where the rates of currencies are; nil for the built-in table.
    public var rates: String?
    /// Where the paths of GitHub's API begin,
    public var gitHub = "https://api.github.com"
    /// and the token that is sent there, if any.
    public var gitHubToken: String?

    /// Everything built in, and the public GitHub.
    public init() {}
}
