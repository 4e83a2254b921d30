/// The offsets of values in a text, by their pointers. One pass finds all of them.
extension JSONPointer {
    /// Returns the offset of the value of each pointer in a JSON text. A pointer to a missing value has the offset of
    /// the innermost value on its path that is there. A text that is not JSON is searched up to its fault.
    package static func offsets(of pointers: [JSONPointer], in bytes: [UInt8]) -> [Int] {
        var offsets = [Int](repeating: 0, count: pointers.count)
        unsafe bytes.withUnsafeBufferPointer { buffer in
            var reader = JSONReader(unsafe Span(_unsafeElements: buffer))
            _ = try? find(Array(pointers.indices), of: pointers, depth: 0, &reader, &offsets)
        }
        return offsets
    }

    /// Finds the values of some pointers, of which the first `depth` tokens lead to the next value.
    private static func find(
        _ wanted: [Int], of pointers: [JSONPointer], depth: Int, _ reader: inout JSONReader, _ offsets: inout [Int]
    ) throws(JSONError) {
        let start = reader.offset
        for index in wanted { offsets[index] = start }
        let deeper = wanted.filter { pointers[$0].tokens.count > depth }
        guard !deeper.isEmpty else { return try reader.skip() }
        switch try reader.kind() {
        case .object:
            try reader.eachMember { token, reader throws(JSONError) in
                let name = try reader.text(token)
                let inner = deeper.filter { pointers[$0].tokens[depth] == name }
                if inner.isEmpty { return try reader.skip() }
                try find(inner, of: pointers, depth: depth + 1, &reader, &offsets)
            }
        case .array:
            var place = 0
            try reader.array { reader throws(JSONError) in
                let inner = deeper.filter { pointers[$0].tokens[depth] == "\(place)" }
                place += 1
                if inner.isEmpty { return try reader.skip() }
                try find(inner, of: pointers, depth: depth + 1, &reader, &offsets)
            }
        default: try reader.skip()
        }
    }
}
