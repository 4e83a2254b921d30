/// A fault of a command, described in one line.
struct CommandFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
