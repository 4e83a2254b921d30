import JSON
import Reactive

/// A bound that a trial has exceeded, with advice.
package struct TrialExcess: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bound and the advice.
    package let description: String

    /// The bound that the trial had exceeded when it ended; nil if it was none, or one that runs have too.
    init?(of budget: StepBudget, bytesLeft: Int, at instant: Instant) {
        let time = "after \(instant.seconds) s of its time"
        if bytesLeft < 0 {
            description =
                "the trial delivers more than \(StreamLimits.trialBytes) bytes of JSON, \(time): "
                + "deliver less, or set an earlier \"until\""
            return
        }
        switch budget.shortage {
        case .time:
            description =
                "the trial computes for longer than \(StreamLimits.trialNanoseconds / 1_000_000_000) s, \(time): "
                + "make it smaller, or set an earlier \"until\""
        case .size:
            description =
                "the values that the trial makes are larger than \(StreamLimits.trialMadeSize) together, \(time): "
                + "make smaller values, or fewer"
        case .steps, nil: return nil
        }
    }
}

extension JSON {
    /// Returns `limit` less the bytes of the value as JSON. The count stops when the result is below zero.
    func bytesLeft(of limit: Int) -> Int {
        var left = limit
        take(from: &left)
        return left
    }

    private func take(from left: inout Int) {
        switch self {
        case .null, .bool(true): left -= 4
        case .bool(false): left -= 5
        case .number(let number): left -= number.description.utf8.count
        case .string(let text): Self.take(text, from: &left)
        case .array(let elements):
            left -= max(2, elements.count + 1)
            for element in elements where left >= 0 { element.take(from: &left) }
        case .object(let object):
            left -= max(2, object.count * 2 + 1)
            for member in object where left >= 0 {
                Self.take(member.key, from: &left)
                member.value.take(from: &left)
            }
        }
    }

    private static func take(_ text: String, from left: inout Int) {
        left -= 2 + text.utf8.count
        guard left >= 0 else { return }
        for byte in text.utf8 where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            left -= byte < 0x20 ? 5 : 1
        }
    }
}
