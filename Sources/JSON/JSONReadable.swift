/// A type whose values are taken from JSON, without a tree in between.
public protocol JSONReadable {
    /// Takes one value.
    init(from reader: inout JSONReader) throws(JSONError)
}

/// A type whose values are JSON, to and fro.
public typealias JSONConvertible = JSONReadable & JSONWritable

extension JSONReadable {
    /// The value of a whole document, which allows nesting up to `depth`. Errors point into it.
    ///
    /// A document that is no JSON is refused as such, even where a wrong type comes first.
    @inlinable
    public init(parsing bytes: Span<UInt8>, depth: Int = JSONReader.depthLimit) throws(JSONError) {
        self = try JSONReader.read(bytes, depth: depth) { reader throws(JSONError) in try Self(from: &reader) }
    }

    /// The value of a whole document, which allows nesting up to `depth`. Errors point into it.
    @inlinable
    public init(parsing bytes: [UInt8], depth: Int = JSONReader.depthLimit) throws(JSONError) {
        try self.init(parsing: bytes.span, depth: depth)
    }
}

extension JSONReader {
    /// Reads a whole document with a closure that takes its one value, for what is not described by a type. Errors point into the document.
    @inlinable
    public static func read<Value>(
        _ bytes: Span<UInt8>, depth: Int = JSONReader.depthLimit, _ body: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        var reader = JSONReader(bytes, depth: depth)
        do {
            let value = try body(&reader)
            try reader.end()
            return value
        } catch {
            throw JSONReader(bytes, depth: depth).explained(error)
        }
    }

    /// The error that the whole document deserves, with its pointer. Found out only when something went wrong, so that reading never pays
    /// for it.
    @usableFromInline
    func explained(_ error: JSONError) -> JSONError {
        var error = error
        if !error.reason.isSyntax {
            var check = self
            do {
                try check.skip()
                try check.end()
            } catch let malformed {
                error = malformed
            }
        }
        error.pointer.tokens.insert(contentsOf: pointer(to: error.offset).tokens, at: 0)
        return error
    }

    /// The way to the innermost value at a byte, in a document that may be broken there.
    func pointer(to offset: Int) -> JSONPointer {
        var reader = self
        var tokens: [String] = []
        // Whatever error there is, it is the one that is being looked for.
        _ = try? reader.walk(to: offset, &tokens)
        return JSONPointer(tokens)
    }

    /// Goes through a value until the byte is reached; then `tokens` leads to it.
    private mutating func walk(to target: Int, _ tokens: inout [String]) throws(JSONError) -> Bool {
        let kind = try kind()
        if position >= target { return true }
        switch kind {
        case .array:
            var index = 0
            var isReached = false
            try array { reader throws(JSONError) in
                if isReached { return try reader.skip() }
                tokens.append(String(index))
                isReached = try reader.walk(to: target, &tokens)
                if !isReached { tokens.removeLast() }
                index += 1
            }
            return isReached
        case .object:
            var isReached = false
            try eachMember { name, reader throws(JSONError) in
                if isReached { return try reader.skip() }
                tokens.append(try reader.text(name))
                isReached = reader.position > target ? true : try reader.walk(to: target, &tokens)
                if !isReached { tokens.removeLast() }
            }
            return isReached
        default:
            try skip()
            return position > target
        }
    }
}
