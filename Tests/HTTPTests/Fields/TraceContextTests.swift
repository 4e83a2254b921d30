import Testing

@testable import HTTP

/// `traceparent` (W3C Trace Context).
@Suite struct TraceContextTests {
    private static let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    // Law TRACE1
    @Test func `a context is written as it was read`() throws {
        let context = try #require(TraceContext(Self.text))
        #expect(context.text == Self.text && context.parent == 0x00F0_67AA_0BA9_02B7 && context.isSampled)
        #expect(context.traceText == "4bf92f3577b34da6a3ce929d0e0e4736")
        let child = context.child
        #expect(child.trace == context.trace && child.parent == context.span && child.span != context.span)
        #expect(TraceContext(TraceContext().text) != nil && TraceContext().parent == nil)
    }

    @Test func `a later version is read as far as it is known`() {
        let later = "cc" + Self.text.dropFirst(2)
        #expect(TraceContext(later)?.text == Self.text)
        #expect(TraceContext(later + "-what-is-new")?.text == Self.text)
        #expect(TraceContext(later + "x") == nil)
    }

    // Law TRACE1
    @Test(arguments: [
        "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
        "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    ]) func `a field that is not valid begins no trace`(_ text: String) {
        #expect(TraceContext(text) == nil)
    }

    @Test func `no corruption of a field is taken for another trace of another form`() {
        let bytes = Array(Self.text.utf8)
        for place in bytes.indices {
            for byte in UInt8.min ... .max {
                var changed = bytes
                changed[place] = byte
                guard let context = TraceContext(String(decoding: changed, as: UTF8.self)) else { continue }
                #expect(TraceContext(context.text)?.trace ?? (0, 0) == context.trace)
            }
        }
    }
}
