public import StateStore

/// The entry point of a program that serves features.
public enum Headwater {
    /// Runs the command line of a program that serves `features`, and ends the process with its exit status.
    ///
    /// A program is this one call. It has every command and every option that `headwater help` lists. `arguments` may
    /// begin with the path of the program, as `CommandLine.arguments` does.
    ///
    ///     import HeadwaterServer
    ///
    ///     Headwater.serve(features: [auction])
    public static func serve(features: [Feature], arguments: [String] = CommandLine.arguments) -> Never {
        serve(Program { _ in features }, arguments: arguments)
    }
}
