/// What is wrong with a command, in one line.
struct CommandFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
