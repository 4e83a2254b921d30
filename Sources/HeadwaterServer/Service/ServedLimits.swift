import HTTP
import JSON
import StateStore

/// The limits of a server, as `GET /v1/limits` lists them.
struct ServedLimits: Sendable {
    /// The limits of messages and connections.
    var messages = ServerLimits()
    /// The limits of each subject.
    var subject = AccessControl.Limits()
    /// The greatest size of each space.
    var quota = SpaceQuota()
    /// The commits of each space that `changes` can list.
    var historyCommits = 0
    /// The bytes of all loaded spaces.
    var spaceMemoryBytes = 0
    /// The bytes of one space in memory.
    var spaceBytes = 0
    /// The durability of an answered commit; nil if the state is in memory only.
    var durability: String?
    var loopCount = 1
    var needsToken = false
    var hasAudit = false

    /// The limits as JSON. The unit of each number is the last word of its name.
    var json: JSON {
        func number(_ value: Int) -> JSON { .number(Decimal(value)) }
        func optional(_ value: Int?) -> JSON { value.map(number) ?? .null }
        return [
            "messages": [
                "requestLineBytes": number(messages.requestLineBytes), "headerBytes": number(messages.headerBytes),
                "fieldCount": number(messages.fieldCount), "bodyBytes": number(messages.bodyBytes),
                "jsonDepth": number(JSONReader.depthLimit), "requestSeconds": number(messages.requestSeconds),
                "idleSeconds": number(messages.idleSeconds), "stallSeconds": number(messages.stallSeconds),
                "heartbeatSeconds": number(messages.heartbeatSeconds),
                "connectionCount": number(messages.connectionCount),
            ],
            "subject": [
                "actionsPerSecond": optional(subject.rate), "actionsPerMinute": optional(subject.minuteRate),
                "bytesPerSecond": optional(subject.byteRate),
                "streamCount": number(subject.streams), "trialCount": number(subject.trials),
            ],
            "spaces": [
                "historyCommits": number(historyCommits), "memoryBytes": number(spaceMemoryBytes),
                "spaceBytes": number(spaceBytes),
                "quotaRows": optional(quota.rows), "quotaBytes": optional(quota.bytes),
            ],
            "server": [
                "durability": durability.map { .string($0) } ?? .null, "loopCount": number(loopCount),
                "needsToken": .bool(needsToken), "hasAudit": .bool(hasAudit),
            ],
        ]
    }
}
