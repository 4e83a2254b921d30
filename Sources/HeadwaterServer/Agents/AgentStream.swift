import HTTP
import JSON

/// The stream of an agent: notifications that resources and lists have changed. An agent that is behind gets each
/// notification once.
final class AgentStream: Subscriber, StreamSource {
    private static let subscriptionKey = "io.modelcontextprotocol/subscriptionId"

    private let delivery: Delivery
    /// The id of the request that has opened the stream; nil for the stream of a session.
    private let id: JSON?
    private let listsTools: Bool
    private let listsResources: Bool
    /// The addresses of features that the stream notifies of.
    var features: [String] = []
    /// Called once when the stream has ended.
    private let leave: () -> Void
    /// The notifications that wait.
    private var texts: [[UInt8]] = []
    private var uris: [String] = []
    private var waiting: Set<String> = []
    private var toolsChanged = false
    private var resourcesChanged = false
    private var ending = StreamEnding()
    private var hasLeft = false

    init(
        _ responder: Responder, _ delivery: Delivery, id: JSON?, listsTools: Bool, listsResources: Bool,
        _ leave: @escaping () -> Void
    ) {
        (self.delivery, self.id, self.leave) = (delivery, id, leave)
        (self.listsTools, self.listsResources) = (listsTools, listsResources)
        // The stream of its views has the place among those of the subject.
        super.init(responder)
    }

    /// Tells the agent what the stream notifies of.
    func acknowledge(_ uris: [String]) {
        var honored = JSON.Object()
        if listsTools { honored["toolsListChanged"] = true }
        if listsResources { honored["resourcesListChanged"] = true }
        if !uris.isEmpty { honored["resourceSubscriptions"] = .array(uris.map { .string($0) }) }
        var params = JSON.Object()
        params["notifications"] = .object(honored)
        tell("notifications/subscriptions/acknowledged", params)
    }

    /// Notes that resources have changed.
    func note(_ changed: [String]) {
        for uri in changed where waiting.insert(uri).inserted { uris.append(uri) }
        connection.wake()
    }

    /// Notes that features have changed.
    func noteFeatures() {
        (toolsChanged, resourcesChanged) = (listsTools, listsResources)
        note(features)
    }

    /// Ends the stream, after its last message.
    func end() {
        guard let id else { return connection.endStream() }
        var result = JSON.Object()
        result["_meta"] = .object(meta)
        result["resultType"] = "complete"
        ending.begin(
            with: Piece(Self.event(AgentMessage.written(["jsonrpc": "2.0", "id": id, "result": .object(result)]))))
        connection.wake()
    }

    private var meta: JSON.Object {
        var meta = JSON.Object()
        meta[Self.subscriptionKey] = id
        return meta
    }

    private func tell(_ method: String, _ params: JSON.Object = JSON.Object()) {
        var params = params
        if id != nil { params["_meta"] = .object(meta) }
        texts.append(AgentMessage.notification(method, params))
    }

    private static func event(_ message: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        EventText.event(name: "message", data: message, appendingTo: &text)
        return text
    }

    func next() -> Piece? {
        if toolsChanged { tell("notifications/tools/list_changed") }
        if resourcesChanged { tell("notifications/resources/list_changed") }
        for uri in uris {
            var params = JSON.Object()
            params["uri"] = .string(uri)
            tell("notifications/resources/updated", params)
        }
        (toolsChanged, resourcesChanged, uris, waiting) = (false, false, [], [])
        guard !texts.isEmpty else { return ending.isUnderWay ? ending.next(connection, delivery) : nil }
        delivery.metrics.frames += 1
        let piece = Piece(texts.flatMap(Self.event), isNewest: !ending.isUnderWay)
        texts = []
        return piece
    }

    func left() {
        guard !hasLeft else { return }
        hasLeft = true
        release()
        delivery.metrics.streams -= 1
        leave()
    }
}
