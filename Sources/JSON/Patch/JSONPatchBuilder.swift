extension JSONPatch {
    /// The written form of a patch, built from edits whose values are already encoded. No tree is needed.
    ///
    /// An appended operation costs O(its bytes). The size is known at any time, so a caller can compare a patch with the
    /// value and send the shorter.
    package struct Builder: Sendable {
        /// The operations, separated by commas.
        private var written: [UInt8] = []

        /// Creates a patch without operations.
        package init() {}

        /// True if the patch has no operation.
        package var isEmpty: Bool { written.isEmpty }

        /// The number of bytes of the written patch, with its brackets.
        package var count: Int { written.count + 2 }

        /// The written patch: a JSON array.
        package var bytes: [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(count)
            bytes.append(UInt8(ascii: "["))
            bytes.append(contentsOf: written)
            bytes.append(UInt8(ascii: "]"))
            return bytes
        }

        /// Appends the insertion of an encoded value at an index of the array at `list`.
        package mutating func insert(_ value: [UInt8], at index: Int, of list: JSONPointer = JSONPointer()) {
            append("add", list.appending(String(index)), value)
        }

        /// Appends the removal of an element of the array at `list`.
        package mutating func remove(at index: Int, of list: JSONPointer = JSONPointer()) {
            append("remove", list.appending(String(index)))
        }

        /// Appends the replacement of an element of the array at `list` by an encoded value.
        package mutating func replace(_ value: [UInt8], at index: Int, of list: JSONPointer = JSONPointer()) {
            replace(list.appending(String(index)), with: value)
        }

        /// Appends the move of an element of the array at `list`. `target` is its index afterwards.
        package mutating func move(from source: Int, to target: Int, of list: JSONPointer = JSONPointer()) {
            append("move", list.appending(String(target)), from: list.appending(String(source)))
        }

        /// Appends the replacement of the value at a path by an encoded value; the empty path replaces the document.
        package mutating func replace(_ path: JSONPointer, with value: [UInt8]) { append("replace", path, value) }

        /// Appends the operations of another written patch.
        package mutating func append(_ other: Builder) {
            if !isEmpty, !other.isEmpty { written.append(UInt8(ascii: ",")) }
            written.append(contentsOf: other.written)
        }

        /// Appends the operations of a patch. A value without a JSON form becomes `null`, as in `JSONWriter`.
        package mutating func append(_ patch: JSONPatch) {
            appendWritten { writer in
                for operation in patch.operations { writer.element(operation) }
            }
        }

        private mutating func append(
            _ name: String, _ path: JSONPointer, from source: JSONPointer? = nil, _ value: [UInt8]? = nil
        ) {
            appendWritten { writer in
                writer.element { writer in
                    writer.object { writer in
                        writer.field("op", name)
                        if let source { writer.field("from", source.description) }
                        writer.field("path", path.description)
                        if let value { writer.field("value", written: value) }
                    }
                }
            }
        }

        /// Lets a writer append elements to the bytes. The writer takes the buffer and gives it back, so nothing is copied.
        private mutating func appendWritten(_ body: (inout JSONWriter) -> Void) {
            var buffer: [UInt8] = []
            swap(&buffer, &written)
            var writer = JSONWriter(appendingTo: buffer)
            buffer = []
            body(&writer)
            written = writer.bytes
        }
    }
}

extension JSONPatch.Builder: JSONWritable {
    /// Writes the patch.
    package func write(to writer: inout JSONWriter) {
        writer.array { writer in writer.buffer.append(contentsOf: written) }
    }
}
