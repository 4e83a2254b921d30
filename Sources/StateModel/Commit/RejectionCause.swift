/// The part of a feature that rejected a call, and the work until then: for administrators, and never in an answer.
///
/// It has no value of the state or of the input. Rejections are equal whatever their causes are.
package struct RejectionCause: Hashable, Sendable {
    /// The kind of a part.
    package enum Kind: String, Sendable {
        case rule, `guard`, schema, step, index
    }

    /// The kind of the part.
    package let kind: Kind
    /// The place: `feature#pointer` of a document, `feature/action` of a feature in Swift.
    package let place: String
    /// The steps of expressions that were taken.
    package var steps: Int?
    /// The rows that were read.
    package var rows: Int?

    /// A part of a feature.
    package init(_ kind: Kind, at place: String, steps: Int? = nil, rows: Int? = nil) {
        (self.kind, self.place, self.steps, self.rows) = (kind, place, steps, rows)
    }
}
