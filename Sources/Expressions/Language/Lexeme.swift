/// A lexical token of a formula.
struct Lexeme {
    let form: Form
    /// The offset of the lexeme in code points.
    let offset: Int

    enum Form: Equatable {
        /// A name or a keyword.
        case word(String)
        /// A name in backquotes.
        case quoted(String)
        /// An integer literal without its sign.
        case int(UInt64)
        case uint(UInt64)
        case double(Double)
        case string(String)
        case bytes([UInt8])
        /// An operator, a bracket or a comma.
        case sign(String)
        case end
    }

    /// The lexeme as a message names it.
    var phrase: String {
        switch form {
        case .word(let name): "'\(name)'"
        case .quoted(let name): "'`\(name)`'"
        case .int, .uint, .double: "a number"
        case .string: "a text"
        case .bytes: "bytes"
        case .sign(let text): "'\(text)'"
        case .end: "the end"
        }
    }

    /// Keywords. They cannot be names of variables or members.
    static let keywords: Set<String> = ["true", "false", "null", "in"]

    /// Words that CEL reserves. They cannot be names of variables.
    static let reserved: Set<String> = [
        "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "comprehension",
        "package", "namespace",
        "return",
        "var",
        "void", "while",
    ]
}
