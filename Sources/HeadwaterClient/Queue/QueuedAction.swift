package import JSON

/// An action on its way to the server.
package struct QueuedAction: Sendable {
    /// The states of an action before it is over.
    package enum Stage: Sendable, Equatable {
        /// Not sent yet: it has no number, and can be discarded.
        case waiting
        /// Sent, perhaps without reaching the server. It is sent until it is answered.
        case sent
        /// Refused by the server, to be retried or discarded.
        case refused(ServerProblem)
    }

    /// The name of the action in this client, unique on this device.
    package let id: String
    package let space: String
    /// The feature and the action: `auction/bid`.
    package let name: String
    /// The input in JSON.
    package let input: [UInt8]
    /// The time at which the action was predicted (RFC 3339); nil for an action without a prediction.
    package var time: String?
    /// The hash of the feature's document that the prediction used.
    package var documentHash: String?
    package var stage = Stage.waiting
    /// The queue and the number in its space, from the first sending on.
    package var client = ""
    package var number: Int?
    /// True for an action that the device could not keep.
    package var isOfProcess = false

    package init(
        id: String, space: String, name: String, input: [UInt8], time: String? = nil, documentHash: String? = nil
    ) {
        self.id = id
        self.space = space
        self.name = name
        self.input = input
        self.time = time
        self.documentHash = documentHash
    }
}

/// A step of the queue that a device remembers, as one line of JSON.
package enum QueueRecord: Sendable {
    case added(QueuedAction)
    /// The queue and the number of an action, before it is sent.
    case numbered(id: String, client: String, number: Int)
    case refused(id: String, ServerProblem)
    case over(id: String)
    /// Another time of prediction; nil for none.
    case timed(id: String, String?)
    /// The greatest number of a space, which outlives its action.
    case counted(space: String, Int)

    /// The action that the step is about; nil for a count.
    var id: String? {
        switch self {
        case .added(let action): action.id
        case .numbered(let id, _, _), .refused(let id, _), .over(let id), .timed(let id, _): id
        case .counted: nil
        }
    }

    package var json: JSON {
        switch self {
        case .added(let action):
            var object = JSON.Object()
            object["add"] = .string(action.id)
            object["space"] = .string(action.space)
            object["name"] = .string(action.name)
            object["input"] = .string(String(decoding: action.input, as: UTF8.self))
            if let time = action.time { object["time"] = .string(time) }
            if let hash = action.documentHash { object["document"] = .string(hash) }
            return .object(object)
        case .numbered(let id, let client, let number):
            return ["number": .number(JSON.Number(Int64(number))), "of": .string(id), "client": .string(client)]
        case .refused(let id, let problem): return ["refused": .string(id), "problem": problem.document]
        case .over(let id): return ["over": .string(id)]
        case .timed(let id, let time): return ["timed": .string(id), "at": time.map { .string($0) } ?? .null]
        case .counted(let space, let number):
            return ["count": .number(JSON.Number(Int64(number))), "space": .string(space)]
        }
    }

    /// A record of its line; nil for a line of a later edition or a damaged one.
    package init?(_ json: JSON) {
        if let id = json["add"]?.text, let space = json["space"]?.text, let name = json["name"]?.text,
            let input = json["input"]?.text
        {
            self = .added(
                QueuedAction(
                    id: id, space: space, name: name, input: Array(input.utf8), time: json["time"]?.text,
                    documentHash: json["document"]?.text))
        } else if let id = json["of"]?.text, let number = json["number"]?.integer, let client = json["client"]?.text {
            self = .numbered(id: id, client: client, number: number)
        } else if let id = json["refused"]?.text, let problem = json["problem"] {
            self = .refused(id: id, ServerProblem(problem))
        } else if let id = json["over"]?.text {
            self = .over(id: id)
        } else if let id = json["timed"]?.text {
            self = .timed(id: id, json["at"]?.text)
        } else if let number = json["count"]?.integer, let space = json["space"]?.text {
            self = .counted(space: space, number)
        } else {
            return nil
        }
    }
}
