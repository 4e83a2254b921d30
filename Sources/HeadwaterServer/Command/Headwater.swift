public import StateStore

/// The entry point of a program that serves features.
public enum Headwater {
    /// The path of the program and its arguments, as the system gave them to the process.
    public static var arguments: [String] { ProgramArguments.all }

    /// Runs the command line of a program that serves `features`, and ends the process with its exit status.
    ///
    /// A program is this one call. It has every command and every option that `headwater help` lists. `arguments` may
    /// begin with the path of the program, as the default does: the arguments that the system gave to the process, also
    /// where `/proc` is absent.
    ///
    ///     import HeadwaterServer
    ///
    ///     Headwater.serve(features: [auction])
    public static func serve(features: [Feature], arguments: [String] = Headwater.arguments) -> Never {
        serve(Program { _ in features }, arguments: arguments)
    }
}
