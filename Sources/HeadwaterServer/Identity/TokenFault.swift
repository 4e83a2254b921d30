/// The reason why a token is not good. It repeats nothing of the token, so logs and answers may have it.
struct TokenFault: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
