internal import JSON

/// The column `changed` of `answers`: the array of the changed variables or, if the action answered a value, an object
/// with `changed` and `result`. An older program has written arrays only.
struct AnswerContent {
    let changed: [String]
    /// The value that the action answered, as JSON; empty for none.
    let result: [UInt8]

    init(changed: [String], result: [UInt8]) {
        self.changed = changed
        self.result = result
    }

    /// Parses the column.
    init(_ text: [UInt8]) throws(JSONError) {
        guard text.first == UInt8(ascii: "{") else {
            changed = try [String](parsing: text)
            result = []
            return
        }
        self = try JSONReader.read(text.span, depth: CommitText.depthLimit) { reader throws(JSONError) in
            var fields = try reader.fields()
            let content = AnswerContent(
                changed: try fields.required("changed"),
                result: try fields.required("result", as: JSONSlice.self).taken(from: text))
            try reader.end(fields)
            return content
        }
    }

    /// The text of the column.
    var text: [UInt8] {
        var writer = JSONWriter(depth: CommitText.depthLimit)
        guard !result.isEmpty else {
            changed.write(to: &writer)
            return writer.bytes
        }
        writer.object { writer in
            writer.field("changed", changed)
            writer.field("result", written: result)
        }
        return writer.bytes
    }
}
