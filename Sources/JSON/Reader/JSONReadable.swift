/// A type that reads its values from JSON directly, without building a tree.
public protocol JSONReadable {
    /// Reads one value.
    init(from reader: inout JSONReader) throws(JSONError)
}

extension JSONReadable {
    /// Reads a whole document, which may nest up to `depth` levels. Errors contain a pointer into the document.
    ///
    /// A syntax error anywhere in the document takes precedence over a wrong type before it.
    @inlinable
    public init(parsing bytes: Span<UInt8>, depth: Int = JSONReader.depthLimit) throws(JSONError) {
        self = try JSONReader.read(bytes, depth: depth) { reader throws(JSONError) in try Self(from: &reader) }
    }

    /// Reads a whole document, which may nest up to `depth` levels. Errors contain a pointer into the document.
    @inlinable
    public init(parsing bytes: [UInt8], depth: Int = JSONReader.depthLimit) throws(JSONError) {
        self = try JSONReader.read(bytes, depth: depth) { reader throws(JSONError) in try Self(from: &reader) }
    }
}

extension JSONReader {
    /// Reads a whole document with a closure that reads its one value, for documents without a type. Errors contain a
    /// pointer into the document.
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

    /// Reads a whole document in an array. `Array.span` needs iOS 26 and macOS 26; this does not.
    @inlinable
    public static func read<Value>(
        _ bytes: [UInt8], depth: Int = JSONReader.depthLimit, _ body: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        try unsafe bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
            try read(unsafe Span(_unsafeElements: buffer), depth: depth, body)
        }
    }

    /// Returns the error to report for the whole document, with its pointer. It runs only after an error, so successful
    /// reading does not pay for it.
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

    /// Returns the path to the innermost value at a byte offset; the document may be malformed there.
    func pointer(to offset: Int) -> JSONPointer {
        var reader = self
        var tokens: [String] = []
        // Any error thrown here is the error that the caller already reports.
        _ = try? reader.walk(to: offset, &tokens)
        return JSONPointer(tokens)
    }

    /// Walks through a value until it reaches the offset; `tokens` then contains the path.
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
