/// A fault of a command, described in one line.
struct CommandFault: Error, CustomStringConvertible {
    let description: String
    /// The status with which the process exits.
    let status: Int32

    init(_ description: String, status: Int32 = 1) {
        self.description = description
        self.status = status
    }
}
