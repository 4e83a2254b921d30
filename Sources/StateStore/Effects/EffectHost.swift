import Reactive

/// The store, as far as its effects use it.
protocol EffectHost: AnyObject {
    /// False once the store is closed: then nothing may be delivered to its effects.
    var isOpen: Bool { get }
    /// The time of day of commits.
    var now: Timestamp { get }
    var graph: Graph { get }
    var executor: any Executor { get }
    var fetcher: any Fetcher { get }
    /// Returns a new sequence of random numbers.
    func randomness() -> Randomness
    /// Returns the name of an action, as `feature/action`, by the offset of its property in a service, preferably of a
    /// feature; nil if no feature has the service.
    func action(at offset: Int, in service: ObjectIdentifier, of feature: String) -> String?
    /// Returns the reason why an effect cannot perform an action in a space; nil if there is such an action.
    func misspelling(of feature: String, _ action: String, in space: SpaceName) -> String?
    /// Logs a warning.
    func warn(_ message: String)
    /// Logs a line that is no warning.
    func note(_ message: String)
    /// Logs that an effect performs an action that does not exist, once for each.
    func noteMisspelling(_ message: String)
    /// Performs an action in any space, on the executor of that space. The answer arrives on this executor, after this
    /// call has returned.
    func perform(_ call: Call, in space: SpaceName, _ reply: @escaping (Result<Answer, Refusal>) -> Void)
}
