/// The entry point. The executable consists of one call to it.
package enum Headwater {
    /// Runs the command line of this process and returns its exit status.
    package static func run() -> Int32 {
        var environment: [String: String] = [:]
        for (name, value) in Environment.all { environment[name] = value }
        return Command.run(Array(CommandLine.arguments.dropFirst()), environment)
    }
}
