/// What a person is told who asks.
enum Help {
    static let overview = """
        headwater \(Version.text): reactive state over plain HTTP

        usage:
          headwater [serve] [OPTION…]             serve over HTTP
          headwater check DIR                     verify a data directory, and say what is in it
          headwater backup DIR TO                 copy a data directory, in use or not
          headwater export DIR [--space S]        write every change as lines of JSON
          headwater import DIR < LINES            make a data directory of such lines
          headwater eval EXPRESSION [OPTION…]     compute one expression
          headwater health [URL]                  ask a running server how it is
          headwater help COMMAND                  more on a command
          headwater --version

        To begin:
          headwater --memory
          curl --json '{"name": "Ada"}' http://127.0.0.1:8080/v1/spaces/main/user/logIn
          curl http://127.0.0.1:8080/v1/spaces/main/user/title
        """

    /// More on a command; nil where there is none of that name.
    static func of(_ command: String) -> String? {
        switch command {
        case "serve": serve
        case "health":
            """
            headwater health [URL]

            Asks a running server how it is, as a container's health check does. Without an address it asks at /healthz of the server that HEADWATER_HOST and
            HEADWATER_PORT mean, or else of port 8080; http://127.0.0.1:8080/readyz asks whether it can serve and write just now. It says nothing and ends
            with 0 when the answer is 200, and else says why not and ends with 1.
            """
        case "check":
            """
            headwater check DIR

            Verifies a data directory, and says what is in it. It only looks, also while a server is running. Ends with 1 if anything is wrong.
            """
        case "backup":
            """
            headwater backup DIR TO

            Copies a data directory to TO, also while a server is running. The copy is of one moment, and holds everything that was answered before it began.
            TO must not be there, and is there only when it is whole: else the command ends with 1. A server that starts on the copy, or on a copy of it, begins
            a new life: no tag of before means anything to it.
            """
        case "export":
            """
            headwater export DIR [--space S]

            Writes every change that is kept, of one space or of all, to standard output: a JSON object a line, all of one moment, also while a server is
            running. headwater import makes an equal directory of it.
            """
        case "import":
            """
            headwater import DIR < LINES

            Makes a data directory of the lines that headwater export has written. The directory is new, or keeps nothing yet. All of it is there in the
            end or, where a line is wrong, none.
            """
        case "eval":
            """
            headwater eval EXPRESSION [--value JSON] [--accumulated JSON]

            Computes one expression, as streams have them: CEL, with `value` and `accumulated` as given. Its result is written to standard output as JSON.
            A problem is told on standard error, and the command ends with 1.

            headwater eval --cases FILE|-

            Computes cases of CEL's conformance suite, a JSON object a line, strictly after CEL; writes a line for each, and ends with 0 when all are ok.
            """
        case "help": "headwater help COMMAND\n\nMore on a command."
        default: nil
        }
    }

    private static var serve: String {
        """
        headwater [serve] [OPTION…]

        Serves over HTTP. When it listens it says so on standard output; logs go to standard error. It ends on SIGTERM or SIGINT, at the latest after ten
        seconds, at once on the second; on SIGHUP it reads the tokens again.

        \(lines(of: Option.all.filter { !$0.isAdvanced }))

        Limits:
        \(lines(of: Option.all.filter(\.isAdvanced)))

        Each option can also be said in the environment, as HEADWATER_PORT for --port; the option wins. HEADWATER_TOKEN is a token of all rights.

        A file of tokens has a line for each: its SHA-256, its rights (read, act, admin) and the spaces it is good for (all, unless said):
          $(printf %s SECRET | sha256sum | cut -c1-64)  read,act  alice-*,shared
        """
    }

    private static func lines(of options: [Option]) -> String {
        let names = options.map { "  --\($0.name)" + ($0.argument.map { " \($0)" } ?? "") }
        let width = 2 + (names.map(\.count).filter { $0 < 34 }.max() ?? 0)
        return zip(names, options).map { name, option in
            name.count >= 34
                ? "\(name)\n" + String(repeating: " ", count: width) + option.help
                : name + String(repeating: " ", count: width - name.count) + option.help
        }.joined(separator: "\n")
    }
}
