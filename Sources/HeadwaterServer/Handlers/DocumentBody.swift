import Documents
import HTTP
import JSON
import StateStore

/// The body of a request that sends documents: JSON, or JSON with comments and trailing commas.
struct DocumentBody {
    let content: JSON
    /// The text as it came.
    let text: [UInt8]
    /// True if the text may have comments.
    let hasComments: Bool

    /// Reads a body.
    init(_ text: [UInt8], hasComments: Bool) throws(JSONError) {
        content = try JSON(parsing: hasComments ? CommentedJSON.plain(text) : text)
        (self.text, self.hasComments) = (text, hasComments)
    }

    /// The text to keep beside the document; nil for plain JSON.
    var keptText: String? { hasComments ? String(decoding: text, as: UTF8.self) : nil }

    /// The problem of a text that is not JSON, with the line, the column and the line itself.
    static func problem(_ error: JSONError, in text: [UInt8]) -> Problem {
        let place = SourcePlace(of: error.offset, in: text)
        let rejection = Rejection(error)
        let kind: ProblemType = rejection.kind == .malformed ? .notJSON : .invalid
        var problem = Problem(
            kind, "\(ProblemText(rejection.description)) (\(place)): \(place.text)",
            at: rejection.pointer.map { "\($0)" }, allowed: rejection.allowed)
        place.add(to: &problem.extra)
        return problem
    }

    /// Returns a problem whose errors have the places in the text to which their pointers lead.
    func locating(_ problem: Problem) -> Problem {
        guard case .array(let errors)? = problem.extra["errors"] else { return problem }
        let pointers = errors.map { error in
            if case .string(let text)? = error["pointer"] {
                JSONPointer(text: text) ?? JSONPointer()
            } else {
                JSONPointer()
            }
        }
        let offsets = JSONPointer.offsets(of: pointers, in: hasComments ? CommentedJSON.plain(text) : text)
        var problem = problem
        problem.extra["errors"] = .array(
            zip(errors, offsets).map { error, offset in
                guard case .object(var members) = error else { return error }
                SourcePlace(of: offset, in: text).add(to: &members)
                return .object(members)
            })
        return problem
    }
}

extension SourcePlace {
    /// Adds the members `line`, `column` and `text`.
    fileprivate func add(to members: inout JSON.Object) {
        members["line"] = .number(Decimal(line))
        members["column"] = .number(Decimal(column))
        members["text"] = .string(text)
    }
}
