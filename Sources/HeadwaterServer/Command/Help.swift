import StateStore

/// The help texts of a program.
struct Help {
    private let program: Program
    private let name = ProgramName.text

    init(_ program: Program) {
        self.program = program
    }

    /// The text of all commands, for the features that the program has with some values of its options.
    func overview(_ values: [String: String]) -> String {
        """
        \(Version.line): reactive state over plain HTTP

        usage:
          \(name) [serve] [OPTION…]             serve over HTTP
          \(name) dev [DIR]                     develop an app: follow each save of a directory
          \(name) check DIR                     verify a data directory and report its contents
          \(name) backup DIR TO                 copy a data directory, also while a server uses it
          \(name) repair DIR TO [--from BACKUP]  save what is readable of a damaged directory
          \(name) export DIR [--space S]        write all commits as lines of JSON
          \(name) import DIR < LINES            make a data directory from such lines
          \(name) test DIR                      run the tests of feature documents
          \(name) check-features DIR            check feature documents
          \(name) watch URL SPACE/VIEW…         print values of views and their changes
          \(name) act URL SPACE/ACTION [INPUT]  perform an action once
          \(name) load SPACE ACTION FILE        perform an action for each line of a file
          \(name) generate LANGUAGE [FILE|URL]  write types for clients: typescript, python, swift
          \(name) editor [DIR]                  set up VS Code for feature documents
          \(name) explain ID [--server URL]     say why a request was refused or slow
          \(name) eval EXPRESSION [OPTION…]     evaluate an expression
          \(name) clock accept [DIR]            let the time of commits follow the machine's clock back
          \(name) cluster init|show|drain|repair  manage a cluster of nodes
          \(name) health [URL]                  check a running server
          \(name) help COMMAND                  describe a command
          \(name) --version

        To begin:
          \(name) --memory
          \(program.firstRequests(program.features(values).map(\.name)).joined(separator: "\n  "))
        """
    }

    /// Returns the help text of a command, or nil for an unknown command.
    /// With `values` of the options that the program adds, the text of `serve` has the options of these features.
    func text(of command: String, _ values: [String: String]) -> String? {
        switch command {
        case "serve": serve(values)
        case "health":
            """
            \(name) health [URL]

            Sends a request to a running server, as a container's health check does. The default URL is /healthz of
            the server that HEADWATER_HOST and HEADWATER_PORT select, or of port 8080. The path /readyz checks that
            the server can serve and write. The exit status is 0 if the answer is 200. Otherwise it is 1, and standard
            error has the reason.
            """
        case "check":
            """
            \(name) check DIR

            Verifies a data directory and reports its contents. The command changes nothing, so a server can use the
            directory meanwhile. The exit status is 1 if the check finds damage.
            """
        case "backup":
            """
            \(name) backup DIR TO

            Copies the data directory DIR to TO, also while a server uses it. The copy is a consistent snapshot with
            every commit that was answered before the command began. TO must not exist. It appears once the copy is
            complete and checked; if the copy fails, or DIR is damaged, TO does not exist and the exit status is 1. A
            server that starts on the copy begins a new life: tags from before the copy are not valid there.
            """
        case "repair":
            """
            \(name) repair DIR TO [--from BACKUP]

            Saves all that is readable of the data directory DIR as the new directory TO. DIR is not changed. A damaged
            space is made anew of its snapshot, its commits and the backup. Standard output names each piece that could
            not be read: its space, version, table and key. The exit status is 0 if TO was made, also if pieces are
            lost, else 1. A server that starts on TO begins a new life.
            """
        case "export":
            """
            \(name) export DIR [--space S] [--skip-damaged]

            Writes the stored commits of one space or of all spaces to standard output, one JSON object per line. The
            lines are a consistent snapshot, also while a server uses the directory. \(name) import makes an equal
            directory from them. The export ends at the first damaged row, with exit status 1, and \(name) import
            refuses what it has written. With --skip-damaged it writes all that is readable, as \(name) repair saves
            it, and standard error names the rest.
            """
        case "import":
            """
            \(name) import DIR < LINES

            Makes a data directory from the lines of \(name) export. DIR must be new or empty. If a line is malformed,
            or the last line of the export is missing, nothing is imported.
            """
        case "test":
            """
            \(name) test DIR

            Checks the feature documents of a directory, which are the files DIR/*.json, and runs their tests in virtual
            time, without a server. Standard output has the outcome of each test in the Test Anything Protocol (TAP).
            The exit status is 1 if a document is faulty or a test fails, and 2 if the directory cannot be read.
            """
        case "watch":
            """
            \(name) watch URL SPACE/FEATURE.VIEW… [--until EXPRESSION]

            Prints the value of each view of a running server, and then what changes in it, as lines: the view and its
            value, or the view and an operation of JSON Patch (RFC 6902) with its path and value. Names are colored on a
            terminal. A lost stream is opened again, and goes on where it was; standard error says so, and names the views
            that cannot be read.

            With --until, the command ends once an expression (CEL) is true: `value` is the value of the first view, and
            `values` has all of them by their names, as in values['main/cart.totalPrice'] > 10. Without it the command
            ends when it is interrupted. HEADWATER_TOKEN is the token. The exit status is 1 if the server refuses the
            stream, or if no view can be read.
            """
        case "act":
            """
            \(name) act URL SPACE/FEATURE/ACTION [INPUT] [--key KEY]

            Performs an action of a running server once, and prints the answer. INPUT is a JSON object, or - for standard
            input; without it the input is {}. The action is sent with an idempotency key until the server answers, so a
            lost answer does not perform it twice. --key names the key, to send the same action again within 24 hours.
            HEADWATER_TOKEN is the token. The exit status is 1 if the action is refused.
            """
        case "load":
            """
            \(name) load [--server URL] SPACE FEATURE/ACTION FILE

            Performs an action of a running server for each row of a file of CSV, or for each line of JSON. The first row
            of CSV names the members of the action's input; cells have the types of its schema, and an empty cell is
            absent. The idempotency key of a line is the SHA-256 of the file with the number of the line, so a load that
            was interrupted can be repeated within 24 hours. Refused lines go to FILE.refused, each with its problem.

            The default URL is http://127.0.0.1:8080, or HEADWATER_SERVER. HEADWATER_TOKEN has the token. The exit status
            is 1 if a line was refused.
            """
        case "check-features":
            """
            \(name) check-features DIR [--plan] [--against URL]

            Checks the feature documents of a directory, which are the files DIR/*.json, without running their tests.
            Standard output has one line per document in the Test Anything Protocol (TAP), with all its faults. The exit
            status is 1 if a document is faulty, and 2 if the directory cannot be read.

            With --plan, comments say by which index each view, rule, guard and loop finds its rows, or which table it walks,
            and the index that would mend it.

            With --against, a running server also rehearses each document against the state of its spaces, without
            taking it; HEADWATER_TOKEN has the token. The exit status is 1 if a row fails, or if state would vanish.
            """
        case "dev":
            """
            \(name) dev [DIR] [--starter counter|list|room] [OPTION…]

            Serves the documents and the page of one directory (the present one), and follows each save: it checks the
            documents, runs their tests, migrates the state and reloads the open pages. A faulty save keeps the last good
            version; its faults are printed, and shown over the page. In an empty directory it makes app.json and
            index.html. The state is in memory; --data DIR keeps it. Options are those of serve.
            """
        case "generate":
            """
            \(name) generate typescript|python|swift [FILE|DIR|URL]

            Writes types for clients to standard output: of the feature documents of a file or a directory (the present
            one), or of a running server, whose token is HEADWATER_TOKEN. The code has each record once and by name,
            inputs apart from outputs, and typed names of the views and the actions. It needs no packages.
            """
        case "editor":
            """
            \(name) editor [DIR]

            Sets up VS Code for the feature documents of a directory (the present one): writes the JSON Schema of
            documents and the settings that name it below DIR/.vscode. VS Code then checks and completes documents, and
            takes comments in them. Other settings of the file stay.
            """
        case "explain":
            """
            \(name) explain ID [--server URL]

            Says why a request was refused, or why it took long: the rule, the guard or the schema with its place in
            the document, the steps and rows that were used, and the times. ID is the X-Request-Id of the answer. The
            server keeps the last 1,000 such requests. HEADWATER_TOKEN is the token, which needs the right admin in the
            space. The exit status is 1 if the server does not know the request.
            """
        case "eval":
            """
            \(name) eval EXPRESSION [--value JSON] [--accumulated JSON]

            Evaluates an expression of the language that streams use (CEL), with the given `value` and `accumulated`.
            The result goes to standard output as JSON. On a fault, standard error has the reason and the exit status
            is 1.

            \(name) eval --cases FILE|-

            Evaluates cases of the CEL conformance suite, one JSON object per line, in strict CEL. Writes one line per
            case. The exit status is 0 if all cases pass.
            """
        case "clock":
            """
            \(name) clock accept [DIR]

            Lets the time of commits follow the machine's clock back, in all spaces of the data directory DIR
            (HEADWATER_DATA, or ./headwater-data). Without the command the time of commits never goes back: if the
            machine's clock was ahead for more than a minute, the server goes on from there until the machine's clock
            has caught up. A server that uses the directory follows within a second; otherwise the next one does.
            """
        case "cluster":
            """
            \(name) cluster init [--lanes N] [--replicas N]
            \(name) cluster restore BACKUP DIR [--lanes N] [--replicas N]
            \(name) cluster show
            \(name) cluster drain NODE
            \(name) cluster repair LANE --from NODE

            Manages a cluster of nodes over NATS JetStream. Each command takes --journal nats://HOST:PORT[,…] and
            --cluster NAME, or HEADWATER_JOURNAL and HEADWATER_CLUSTER. User and password come from
            HEADWATER_JOURNAL_USER and HEADWATER_JOURNAL_PASSWORD, or from a file with --journal-creds FILE. With tls://
            in place of nats:// the connection is encrypted.

            init makes the streams of a cluster: one for each of the lanes (24) that its spaces share, each kept by
            three servers (--replicas 1 for a trial). A second init with as many lanes does nothing. The number of lanes
            cannot change.
            restore makes a cluster from a backup, of a node or of a single server. It writes DIR, the data directory of
            the first node; the other nodes begin with empty directories and take a copy from it. A cluster of the same
            name must not exist.
            show prints a line for each node: its name, its address, its lease and the lanes that it owns; then what
            hinders them.
            drain asks a node to hand its lanes to the others, as before it is stopped.
            repair makes the log of a lane anew, so that it goes on after the last entry in the copy of a node. Use it if
            a lane's log was lost or differs from the copies: later entries of the log are given up.

            The exit status is 0 if it is done, 1 if it was refused, 2 for wrong arguments.
            """
        case "help": "\(name) help COMMAND\n\nDescribes a command."
        default: nil
        }
    }

    /// The help text of `serve`, with the options that the program has with some values.
    func serve(_ values: [String: String]) -> String {
        """
        \(name) [serve] [OPTION…]
        \(name) serve --check [OPTION…]

        Serves over HTTP. Standard output has one line once the server listens; logs go to standard error. SIGTERM or
        SIGINT shuts down within 10 seconds; a second signal exits at once. SIGHUP reads the token file again.

        \(Self.lines(of: Option.all.filter { !$0.isAdvanced } + program.options(with: values).map(\.option)))

        Limits:
        \(Self.lines(of: Option.all.filter(\.isAdvanced)))

        Each option has an environment variable, such as HEADWATER_PORT for --port. A file that --config names has an
        option on each line, such as port = 8080; # begins a comment. The command line has precedence over the
        environment, and the environment over the file. --check starts nothing: it writes each fault of the
        configuration on a line, with the line of the file, and the exit status is 2 if there is one.
        HEADWATER_TOKEN is a token with all rights; with --token-file it is the content of a file.

        A token file has one line per token: its SHA-256, its rights, its spaces (default: all) and its subject
        (default: none):
          $(printf %s SECRET | sha256sum | cut -c1-64)  read,act  alice-*,shared  subject=alice

        Rights: read; act performs actions; define puts and removes streams and hooks; metrics is for /metrics alone;
        admin includes all. act and define include read.

        JSON Web Tokens are good with --jwks (RS256, ES256, EdDSA) or --jwt-secret (HS256). Each --grant whose
        expression is true for their claims gives rights for some spaces; without one they have none:
          --grant "'editor' in token.roles => act, define, docs-* shared"
        HEADWATER_GRANT has one grant per line.
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
