import CLinux

/// The arguments of this process, as the system gave them to the program. Reading them needs no `/proc`.
enum ProgramArguments {
    /// The path of the program and the arguments after it.
    static let all: [String] = (0..<program_argument_count()).map { String(cString: program_argument($0)) }
}
