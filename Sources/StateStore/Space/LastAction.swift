import JSON

/// The last action of a client's queue in a space, with its answer.
struct LastAction {
    /// The outcome that the client was told.
    enum LastOutcome {
        case answered(changed: [String], result: [UInt8])
        case refused(Refusal)
    }

    /// The number of the action.
    let number: Int
    /// The version that the answer needs: that of the action's commit, or the one that the action read.
    let version: Int
    let at: Timestamp
    /// The digest of action and input.
    let fingerprint: UInt64
    let outcome: LastOutcome
    /// True if the action made the commit of `version`.
    let isCommitted: Bool

    init(
        number: Int, version: Int, at: Timestamp, fingerprint: UInt64, outcome: LastOutcome, isCommitted: Bool
    ) {
        (self.number, self.version, self.at) = (number, version, at)
        (self.fingerprint, self.outcome, self.isCommitted) = (fingerprint, outcome, isCommitted)
    }

    /// The action without what it answered, because a row was erased.
    var withoutContent: LastAction {
        let outcome: LastOutcome =
            switch outcome {
            case .answered(let changed, _): .answered(changed: changed, result: [])
            case .refused(.rejected(let rejection)):
                .refused(.rejected(Rejection(rejection.kind, "the reason went with an erased row")))
            case .refused(let refusal): .refused(refusal)
            }
        return LastAction(
            number: number, version: version, at: at, fingerprint: fingerprint, outcome: outcome,
            isCommitted: isCommitted)
    }

    /// True if the outcome has a text or a value that may come from the state.
    var hasContent: Bool {
        switch outcome {
        case .answered(_, let result): !result.isEmpty
        case .refused(.rejected): true
        case .refused: false
        }
    }
}

/// The stored form: an object with short names, because every action of a queue writes one.
extension LastAction {
    /// The action as JSON.
    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("n", number)
            writer.field("v", version)
            writer.field("at", at.microseconds)
            writer.field("f", String(fingerprint, radix: 16))
            switch outcome {
            case .answered(let changed, let result):
                writer.field("c", changed)
                if !result.isEmpty { writer.field("r", String(decoding: result, as: UTF8.self)) }
            case .refused(let refusal):
                writer.field("e") { writer in writer.object { Self.write(refusal, to: &$0) } }
            }
            if !isCommitted { writer.field("u", true) }
        }
        return writer.bytes
    }

    private static func write(_ refusal: Refusal, to writer: inout JSONWriter) {
        switch refusal {
        case .rejected(let rejection):
            writer.field("kind", StoredKind(rejection.kind).rawValue)
            writer.field("detail", rejection.description)
            if let pointer = rejection.pointer { writer.field("pointer", "\(pointer)") }
            if !rejection.allowed.isEmpty { writer.field("allowed", rejection.allowed) }
            guard !rejection.others.isEmpty else { return }
            writer.field("others") { writer in
                writer.array { writer in
                    for other in rejection.others {
                        writer.element { writer in
                            writer.object { writer in
                                writer.field("detail", other.description)
                                if let pointer = other.pointer { writer.field("pointer", "\(pointer)") }
                                if !other.allowed.isEmpty { writer.field("allowed", other.allowed) }
                            }
                        }
                    }
                }
            }
        case .changed(let version): writer.field("version", version)
        case .commitTooLarge(let bytes): writer.field("bytes", bytes)
        case .spaceTooLarge(let bytes, let limit):
            writer.field("bytes", bytes)
            writer.field("limit", limit)
        case .overQuota(let excess):
            writer.field("quota", excess.unit.rawValue)
            writer.field("limit", excess.limit)
        default: preconditionFailure("a refusal that is not kept: \(refusal)")
        }
    }

    /// The kinds of rejections in stored actions.
    private enum StoredKind: String {
        case malformed, invalid, conflict, forbidden

        init(_ kind: Rejection.Kind) {
            self =
                switch kind {
                case .malformed: .malformed
                case .invalid: .invalid
                case .conflict: .conflict
                case .forbidden: .forbidden
                }
        }

        var kind: Rejection.Kind {
            switch self {
            case .malformed: .malformed
            case .invalid: .invalid
            case .conflict: .conflict
            case .forbidden: .forbidden
            }
        }
    }

    /// Returns true if a refusal is the answer of an action, and not a fault that a repeat may not find.
    static func isKept(_ refusal: Refusal) -> Bool {
        switch refusal {
        case .rejected, .changed, .commitTooLarge, .spaceTooLarge, .overQuota: true
        default: false
        }
    }

    /// Reads the stored form.
    init(_ bytes: [UInt8]) throws(JSONError) {
        let json = try JSON(parsing: bytes)
        func fault() -> JSONError { JSONError(.refused("must be the last action of a client"), at: 0) }
        guard let number = json["n"]?.int, let version = json["v"]?.int, let at = json["at"]?.int,
            case .string(let digest)? = json["f"], let fingerprint = UInt64(digest, radix: 16)
        else { throw fault() }
        let outcome: LastOutcome
        if let refusal = json["e"] {
            guard let read = Self.refusal(refusal) else { throw fault() }
            outcome = .refused(read)
        } else {
            guard let changed = json["c"]?.texts else { throw fault() }
            var result: [UInt8] = []
            if case .string(let text)? = json["r"] { result = Array(text.utf8) }
            outcome = .answered(changed: changed, result: result)
        }
        self.init(
            number: number, version: version, at: Timestamp(microseconds: Int64(at)), fingerprint: fingerprint,
            outcome: outcome, isCommitted: json["u"] == nil)
    }

    private static func refusal(_ json: JSON) -> Refusal? {
        if let version = json["version"]?.int { return .changed(version: version) }
        if let bytes = json["bytes"]?.int {
            if let limit = json["limit"]?.int { return .spaceTooLarge(bytes: bytes, limit: limit) }
            return .commitTooLarge(bytes: bytes)
        }
        if case .string(let name)? = json["quota"], let unit = SpaceQuota.Unit(rawValue: name),
            let limit = json["limit"]?.int
        {
            return .overQuota(SpaceQuota.Excess(unit, limit: limit))
        }
        guard case .string(let name)? = json["kind"], let kind = StoredKind(rawValue: name),
            case .string(let detail)? = json["detail"]
        else { return nil }
        var others: [Rejection.Detail] = []
        if case .array(let elements)? = json["others"] {
            for element in elements {
                guard case .string(let detail)? = element["detail"] else { return nil }
                others.append(
                    Rejection.Detail(detail, at: pointer(element), allowed: element["allowed"]?.texts ?? []))
            }
        }
        return .rejected(
            Rejection(kind.kind, detail, at: pointer(json), allowed: json["allowed"]?.texts ?? [], others: others))
    }

    private static func pointer(_ json: JSON) -> JSONPointer? {
        guard case .string(let text)? = json["pointer"] else { return nil }
        return JSONPointer(text: text)
    }
}

extension JSON {
    fileprivate var int: Int? {
        guard case .number(let number) = self else { return nil }
        return number.int64.map { Int($0) }
    }

    fileprivate var texts: [String]? {
        guard case .array(let elements) = self else { return nil }
        var texts: [String] = []
        for element in elements {
            guard case .string(let text) = element else { return nil }
            texts.append(text)
        }
        return texts
    }
}

extension Fact {
    /// The variable of the last actions of clients. Its name is that of no feature's level, and clients never see it.
    package static let queueVariable = "~~~queue"

    /// True if the fact is the last action of a client, by the client and its subject.
    package var isOfQueue: Bool { variable.utf8.count == 8 && variable == Self.queueVariable }

    /// Returns the fact without what the action answered that made the commit of one of `versions`; nil if it has nothing
    /// of that kind.
    package func withoutAnswer(ofVersions versions: Set<Int>) -> Fact? {
        guard isOfQueue, let value, let last = try? LastAction(value), last.isCommitted, last.hasContent,
            versions.contains(last.version)
        else { return nil }
        return Fact(variable: variable, entry: entry, value: last.withoutContent.bytes)
    }
}

extension CommitRecord {
    /// True if the commit has last actions of clients.
    package var hasQueueFacts: Bool { facts.contains(where: \.isOfQueue) }

    /// The client and the number of the action that made the commit; nil if it was not in a queue.
    package var queueMark: QueueMark? {
        for fact in facts where fact.isOfQueue {
            guard let value = fact.value, let last = try? LastAction(value), last.isCommitted, last.version == version,
                let client = fact.entry?.prefix(QueuePosition.clientLength)
            else { continue }
            return QueueMark(client: String(client), number: last.number)
        }
        return nil
    }
}
