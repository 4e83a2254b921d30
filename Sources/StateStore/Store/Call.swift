package import JSON

/// An action that somebody asks for.
public struct Call: Sendable {
    /// Where the action is; only its name, where that has yet to be found.
    let place: ActionPlace
    /// What it is given, as JSON; nil for nothing.
    public var input: [UInt8]? {
        // An optional that is copied from one place in memory to another is copied by the runtime, which takes a hundred instructions; one that a
        // function returns is not.
        @inline(never) get { given }
    }
    private let given: [UInt8]?
    /// The input as a tree, if the caller has one.
    private(set) var tree: InputTree?
    /// The key under which it was sent.
    public let key: String?
    /// The version that the space must be at, if it matters.
    public let ifVersion: Int?
    /// The views to answer with.
    public let views: [String]
    /// What must be true of the version and of `views`, as they are right before it is performed, if anything must.
    public let condition: Condition?
    /// Whether it is an effect that asks.
    private(set) var isByEffect = false

    /// What must be true of the version and of the views that are asked for.
    public typealias Condition = @Sendable (_ version: Int, _ views: Watch.News) -> Bool

    /// An action of which it is known where it is: it is not looked for by its name.
    public init(
        _ place: ActionPlace, input: [UInt8]? = nil, key: String? = nil, ifVersion: Int? = nil, views: [String] = [],
        condition: Condition? = nil
    ) {
        self.place = place
        given = input
        self.key = key
        self.ifVersion = ifVersion
        self.views = views
        self.condition = condition
    }

    /// An action.
    public init(feature: String, action: String, input: [UInt8]? = nil, key: String? = nil, ifVersion: Int? = nil, views: [String] = []) {
        self.init(ActionPlace(feature: feature, action: action), input: input, key: key, ifVersion: ifVersion, views: views)
    }

    /// The same call with its input as a tree too. Precondition: `input` is the text of `json`.
    package func with(tree json: JSON) -> Call {
        var call = self
        call.tree = InputTree(json)
        return call
    }

    /// The feature.
    public var feature: String { place.feature }
    /// The action.
    public var action: String { place.action }

    /// The same, asked for by an effect.
    var byEffect: Call {
        var call = self
        call.isByEffect = true
        return call
    }

    /// The same, now that it is known where the action is.
    func found(at place: ActionPlace) -> Call {
        var call = Call(place, input: input, key: key, ifVersion: ifVersion, views: views, condition: condition)
        call.isByEffect = isByEffect
        call.tree = tree
        return call
    }

    /// A digest of what is asked for: the same for the same (FNV-1a).
    var fingerprint: UInt64 {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in place.name.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        digest = (digest ^ 0xFF) &* 0x100_0000_01B3
        for byte in input ?? [] { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return digest
    }
}

/// The answer to an action that was performed.
public struct Answer: Sendable {
    /// The version of the space that has it.
    public let version: Int
    /// The variables that it changed.
    public let changed: [String]
    /// The views that were asked for, as of that version.
    public let views: Watch.News
    /// Whether this is an answer that was given before, to the same key.
    public let isReplay: Bool
}

/// Why something that was asked for was not done. It has changed nothing.
public enum Refusal: Error, Sendable {
    /// There is no such feature or action.
    case noSuchAction
    /// There is no such view.
    case noSuchView(String)
    /// There is no such view as the state of the space is, and why.
    case noView(String, why: NoView)
    /// The space `common` cannot be forgotten.
    case commonStays
    /// The action is one of `common`, or one that is not, sent to the wrong space.
    case wrongSpace(Feature.Home)
    /// The action was refused.
    case rejected(Rejection)
    /// The space is at another version than was demanded.
    case changed(version: Int)
    /// The key was used for something else.
    case keyReused
    /// It could not be kept, or the space not be read.
    case journal(JournalFailure)
    /// Others were first, again and again.
    case contended
}
