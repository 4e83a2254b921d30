import NATSServers

/// A log, and nodes whose data lies in a scratch folder.
struct ClusterYard {
    let servers: NATSServers
    let scratch: Scratch
    let environment: [String: String]

    init() throws {
        servers = try NATSServers()
        scratch = try Scratch()
        environment = [
            "HEADWATER_JOURNAL": servers.url, "HEADWATER_CLUSTER": "c", "HEADWATER_JOURNAL_ACCEPT_OLD_SERVER": "1",
            "HEADWATER_TOKEN": "root",
        ]
        let deadline = Deadline(seconds: 240)
        let arguments = ["cluster", "init", "--lanes", "4", "--replicas", "1"]
        while try Program.run(arguments, environment: environment).status != 0 {
            guard deadline.millisecondsLeft > 0 else { throw Trouble("the cluster cannot be made") }
        }
    }

    /// Starts a node.
    func node(_ name: String) throws -> Service {
        // The digest of "ann".
        let digest = "49915e0d7d4b402e3017d010bc1c0e83cac6c797d6c16e66340fe3268693a6a1"
        let tokens = try scratch.file("tokens", "\(digest) act * subject=ann\n")
        return try Service(
            arguments: [
                "--node", name, "--data", "\(scratch.path)/\(name)", "--tokens", tokens, "--threads", "2",
                "--outgoing-allow", "127.0.0.1",
            ], environment: environment)
    }
}

extension Service {
    /// Sends a request until its answer is not 503, as it is while lanes change hands.
    func askUntilAble(
        _ method: String, _ path: String, _ body: String?, _ fields: [String: String]
    ) throws -> Response {
        let deadline = Deadline(seconds: 240)
        while true {
            let answer = try ask(method, path, body, fields)
            if answer.status != 503 || deadline.millisecondsLeft <= 0 { return answer }
        }
    }
}
