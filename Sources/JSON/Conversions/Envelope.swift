// An array around a value that is no level of nesting, so that the value may nest as deep as one alone.

extension JSONWriter {
    /// Writes an array that is no level of nesting.
    package mutating func envelope(_ elements: (inout JSONWriter) -> Void) {
        depth -= 1
        array(elements)
        depth += 1
    }
}

extension JSONReader {
    /// Returns true if a text comes next.
    package mutating func isNext(_ text: StaticString) -> Bool {
        _ = next()
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for index in 0..<count {
            guard unsafe bytes[position + index] == text.utf8Start[index] else { return false }
        }
        return true
    }

    /// Reads an array that is no level of nesting; `element` reads one element per call.
    package mutating func envelope(
        _ element: (inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        depth -= 1
        try array(element)
        depth += 1
    }
}
