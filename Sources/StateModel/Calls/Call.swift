internal import Ground
package import JSON

/// A request to perform an action.
package struct Call: Sendable {
    /// The action; only its names if `isFound` is false.
    package let id: ActionID
    /// The input as JSON; nil for none.
    package var input: [UInt8]? {
        // The runtime takes about 100 instructions to copy an optional in memory. Returning it from a function is
        // cheaper.
        @inline(never) get { storedInput }
    }
    private let storedInput: [UInt8]?
    /// The parsed input, if the caller has it.
    package private(set) var tree: InputTree?
    /// The idempotency key; nil for none.
    package private(set) var key: String?
    /// The version that the space must have; nil for any.
    package let ifVersion: Int?
    /// The permit for the views that the answer contains; nil for none.
    package let permit: ReadPermit?
    /// A condition on the version and on the views, checked right before the action; nil for none.
    package let condition: Condition?
    /// The caller.
    package private(set) var caller: Caller
    /// The position in the queue of the client; nil for none.
    package private(set) var position: QueuePosition?

    /// The subject of the caller; empty for a caller without one.
    package var by: String { caller.by }
    /// True if an effect is the caller.
    package var isByEffect: Bool { caller.isServer }
    /// True if the server has just made the key, so that no journal has it.
    package private(set) var isKeyNew = false
    /// True if the input was made for another definition of the feature than the present one.
    package var isOfEarlierDocument = false

    /// A condition on the version of the space and on the requested views.
    package typealias Condition = @Sendable (_ version: Int, _ views: ViewFrames) -> Bool

    /// A call of an action whose position is known.
    package init(
        _ id: ActionID, input: [UInt8]? = nil, key: String? = nil, ifVersion: Int? = nil, views: ReadPermit? = nil,
        condition: Condition? = nil, by: String = ""
    ) {
        self.init(
            id, input: input, key: key, ifVersion: ifVersion, views: views, condition: condition, caller: Caller(by))
    }

    /// A call of a caller.
    package init(
        _ id: ActionID, input: [UInt8]? = nil, key: String? = nil, ifVersion: Int? = nil, views: ReadPermit? = nil,
        condition: Condition? = nil, caller: Caller
    ) {
        self.id = id
        self.caller = caller
        storedInput = input
        self.key = key
        self.ifVersion = ifVersion
        permit = views
        self.condition = condition
    }

    /// A call of an action by its names; the store looks it up.
    package init(
        feature: String, action: String, input: [UInt8]? = nil, key: String? = nil, ifVersion: Int? = nil,
        views: ReadPermit? = nil, by: String = ""
    ) {
        self.init(
            ActionID(feature: feature, action: action), input: input, key: key, ifVersion: ifVersion, views: views,
            by: by)
    }

    /// The same call with the parsed input. Precondition: `input` is the serialization of `json`.
    package func with(tree json: JSON, _ memory: ReplayedMemory? = nil) -> Call {
        var call = self
        call.tree = InputTree(json, memory: memory)
        return call
    }

    /// The same call with a key that the server has just made.
    package func with(newKey key: String) -> Call {
        var call = self
        call.key = key
        call.isKeyNew = true
        return call
    }

    /// The same call at a position in the queue of its client.
    package func with(_ position: QueuePosition?) -> Call {
        var call = self
        call.position = position
        return call
    }

    /// The same call of an action of the space itself.
    package func with(_ action: any SpaceAction, _ json: JSON) -> Call {
        var call = self
        call.tree = InputTree(json, action: action)
        return call
    }

    /// The same call without a key, for a rehearsal, which no repeat can get the answer of.
    package var withoutKey: Call {
        var call = self
        call.key = nil
        call.isKeyNew = false
        return call
    }

    /// The name of the feature.
    package var feature: String { id.feature }
    /// The name of the action.
    package var action: String { id.action }

    /// The same call with the server as the caller: an effect, or a handler of a request. It may be internal.
    package var byEffect: Call {
        var call = self
        call.caller = .server
        return call
    }

    /// The same call with the ID that the store has looked up.
    package func found(at id: ActionID) -> Call {
        var call = Call(
            id, input: input, key: key, ifVersion: ifVersion, views: permit, condition: condition, caller: caller)
        call.isKeyNew = isKeyNew
        call.isOfEarlierDocument = isOfEarlierDocument
        call.tree = tree
        call.position = position
        return call
    }

    /// A digest of the action and its input. Journals store it with the idempotency key.
    package var fingerprint: UInt64 {
        var hash = FNV1a(id.name.utf8)
        hash.add(0xFF)
        hash.add(input ?? [])
        return hash.value
    }
}

extension Call {
    /// The identifiers that the client knows before the call is performed; nil if the call is not in a queue, or its client
    /// sends no time.
    package func knownIDs(in space: SpaceName) -> KnownIDs? {
        guard let position, let time = position.time else { return nil }
        return KnownIDs(space: space, subject: by, client: position.client, number: position.number, time: time)
    }
}
