/// The functions on texts without case and without accents.
enum PlainFunctions {
    static let table = Functions.tables(
        rewriting("text.fold", PlainText.fold), rewriting("text.plain", PlainText.plain),
        rewriting("text.order", RootCollation.key),
        Functions.global("text.words") { (value, context) throws(EvaluationFailure) in
            guard case .string(let text) = value else { throw .mismatch("text.words", value) }
            try context.work(text.utf8.count / 4)
            try context.make(growth * text.utf8.count)
            let words = PlainText.words(text)
            try context.make(elements: words.count)
            return .list(.values(words.map { .string($0) }))
        })

    /// The most bytes that a byte of a text becomes.
    private static let growth = 12

    private static func rewriting(_ name: String, _ body: @escaping @Sendable (String) -> String) -> FunctionTable {
        Functions.global(name) { (value, context) throws(EvaluationFailure) in
            switch value {
            case .null: return .null
            case .string(let text):
                try context.work(text.utf8.count / 4)
                try context.make(growth * text.utf8.count)
                return .string(body(text))
            default: throw .mismatch(name, value)
            }
        }
    }
}
