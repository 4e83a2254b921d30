/// The type of a part of a formula, and the declared value that it reads, if it is one.
struct CheckedPart {
    let type: ExpressionType
    /// The place of the value in the declared variables.
    var place: ReadPlace?

    init(_ type: ExpressionType, _ place: ReadPlace? = nil) {
        self.type = type.bounded
        self.place = place
    }
}

/// A place in the declared variables.
struct ReadPlace {
    let name: String
    var steps: [ExpressionRead.ReadStep] = []

    func appending(_ step: ExpressionRead.ReadStep) -> ReadPlace { ReadPlace(name: name, steps: steps + [step]) }
}
