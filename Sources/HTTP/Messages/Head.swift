/// The head of a request: where its parts stand among the bytes that it was read from. One is used for many requests, so that reading one costs no
/// allocation.
public final class Head {
    /// What is asked to be done.
    public internal(set) var method = Method.other
    /// Where the method is written.
    var methodName = 0..<0
    /// Where the path and the query are written, without a scheme and an authority that stand before them.
    public internal(set) var target = 0..<0
    /// The authority of a target that is written with one.
    var authority: Range<Int>?
    /// The number after the dot of `HTTP/1.`.
    public internal(set) var minorVersion = 1
    var fields: [Field] = []
    /// The place among the fields of the first one of each name that is known; -1 where there is none.
    private var known = [Int16](repeating: -1, count: KnownField.allCases.count)
    /// Which of those that are known come more than once.
    private var repeated: UInt32 = 0
    /// How many bytes it takes.
    public internal(set) var length = 0

    /// An empty one, to be read into.
    public init() {}

    func clear() {
        method = .other
        authority = nil
        fields.removeAll(keepingCapacity: true)
        for index in known.indices { known[index] = -1 }
        repeated = 0
        length = 0
    }

    func add(_ field: Field, _ name: KnownField?) {
        if let name {
            if known[name.rawValue] < 0 {
                known[name.rawValue] = Int16(fields.count)
            } else {
                repeated |= 1 << UInt32(name.rawValue)
            }
        }
        fields.append(field)
    }

    /// Where the value of a field is written: of the first one of its name.
    @inline(__always)
    public func value(of name: KnownField) -> Range<Int>? {
        let index = known[name.rawValue]
        return index < 0 ? nil : fields[Int(index)].value
    }

    /// Whether a field comes more than once.
    public func isRepeated(_ name: KnownField) -> Bool {
        repeated & 1 << UInt32(name.rawValue) != 0
    }

    /// The value of a field as text; several of its name as one list (RFC 9110, section 5.3).
    public func text(of name: KnownField, in bytes: Span<UInt8>) -> String? {
        guard let first = value(of: name) else { return nil }
        guard isRepeated(name) else { return Octet.text(bytes, first) }
        var texts: [String] = []
        for field in fields where KnownField.named(bytes, field.name) == name { texts.append(Octet.text(bytes, field.value)) }
        return texts.joined(separator: ", ")
    }

    /// How the body of the request is marked off.
    package internal(set) var framing = Framing.none
    /// Whether the connection may be used for another request (RFC 9112, section 9.3).
    var isPersistent = true
    /// Whether the sender waits to be told to go on before it sends the body.
    var expectsContinue = false
}

/// How a body is marked off (RFC 9112, section 6).
package enum Framing: Hashable, Sendable {
    /// There is none.
    case none
    /// By its length.
    case length(Int)
    /// In chunks.
    case chunks
}
