/// The place of a request in a trace (W3C Trace Context, level 1).
package struct TraceContext: Sendable, Equatable {
    /// The two halves of the trace's id.
    package let trace: (UInt64, UInt64)
    /// The span of the caller; nil for a trace that begins here.
    package let parent: UInt64?
    /// The span of this server; that of the caller if this server makes no spans.
    package let span: UInt64
    private let flags: UInt8

    /// True if the caller, or this server, records the trace.
    package var isSampled: Bool { flags & 1 == 1 }

    private init(_ trace: (UInt64, UInt64), parent: UInt64?, span: UInt64, flags: UInt8) {
        (self.trace, self.parent, self.span, self.flags) = (trace, parent, span, flags)
    }

    /// A trace that begins here.
    package init() {
        self.init(
            (.random(in: 1 ... .max), .random(in: 0 ... .max)), parent: nil, span: .random(in: 1 ... .max), flags: 1)
    }

    /// Reads the field `traceparent`; nil if it is not valid.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 55, bytes[2] == 0x2D, bytes[35] == 0x2D, bytes[52] == 0x2D,
            let version = Self.number(bytes[0..<2]), version != 0xFF,
            version == 0 ? bytes.count == 55 : bytes.count == 55 || bytes[55] == 0x2D,
            let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]), high | low != 0,
            let span = Self.number(bytes[36..<52]), span != 0, let flags = Self.number(bytes[53..<55])
        else { return nil }
        self.init((high, low), parent: span, span: span, flags: UInt8(flags))
    }

    /// The context of a span below this one.
    package var child: TraceContext {
        TraceContext(trace, parent: span, span: .random(in: 1 ... .max), flags: flags)
    }

    /// The field `traceparent` for requests that follow from this one.
    package var text: String { "00-\(traceText)-\(Self.text(span))-\(flags & 1 == 1 ? "01" : "00")" }

    /// The id of the trace as 32 digits.
    package var traceText: String { Self.text(trace.0) + Self.text(trace.1) }

    /// Returns a number as 16 digits.
    package static func text(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case 48...57: number = number << 4 | UInt64(digit - 48)
            case 97...102: number = number << 4 | UInt64(digit - 87)
            default: return nil
            }
        }
        return number
    }

    package static func == (one: TraceContext, other: TraceContext) -> Bool {
        one.trace == other.trace && one.parent == other.parent && one.span == other.span && one.flags == other.flags
    }
}
