import JSON
import Reactive

/// The bound that a try has hit, in words that say what to do.
public struct TrialExcess: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bound, and what to do.
    public let description: String

    /// The bound that a try had hit when it ended, if it was one that only tries have.
    init?(of budget: StepBudget, bytesLeft: Int, at instant: Instant) {
        let time = "after \(instant.seconds) s of its time"
        if bytesLeft < 0 {
            description = "the try delivers more than \(StreamLimits.tryBytes) bytes of JSON, \(time): deliver less, or set an earlier \"until\""
            return
        }
        switch budget.shortage {
        case .time:
            description =
                "the try computes for longer than \(StreamLimits.tryNanoseconds / 1_000_000_000) s, \(time): make it smaller, or set an earlier \"until\""
        case .size:
            description =
                "the values that the try makes are larger than \(StreamLimits.tryMadeSize) together, \(time): make smaller values, or fewer"
        case .steps, nil: return nil
        }
    }
}

extension JSON {
    /// How many of so many bytes are left when this is written. It looks no further than to the first that is missing.
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
        for byte in text.utf8 where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { left -= byte < 0x20 ? 5 : 1 }
    }
}
