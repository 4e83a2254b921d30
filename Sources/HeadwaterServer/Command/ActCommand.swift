import JSON
import Outgoing
import StateStore

/// The command `headwater act`: it performs one action of a running server, once, and prints the answer.
struct ActCommand {
    private let server: RemoteServer
    private let path: String
    private let input: [UInt8]
    private let key: String

    init(_ arguments: [String], _ environment: [String: String]) throws(CommandFault) {
        do throws(CommandFault) {
            var words: [String] = []
            var key: String?
            var rest = arguments[...]
            while let word = rest.popFirst() {
                if word == "--key" || word.hasPrefix("--key=") {
                    let value = word == "--key" ? rest.popFirst() : String(word.dropFirst("--key=".count))
                    guard let value, !value.isEmpty else { throw CommandFault("--key takes an idempotency key") }
                    key = value
                } else if word.hasPrefix("--") {
                    throw CommandFault("act has no option \(word): see \(ProgramName.text) help act")
                } else {
                    words.append(word)
                }
            }
            guard (2...3).contains(words.count) else {
                throw CommandFault("act takes a URL, an action and an input: see \(ProgramName.text) help act")
            }
            let names = words[1].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            guard names.count == 3, SpaceName(names[0]) != nil, names.dropFirst().allSatisfy(Registry.isName) else {
                throw CommandFault("act takes an action such as main/cart/add, not \(words[1])")
            }
            let text = words.count == 3 ? words[2] == "-" ? try TextFile.readInput() : words[2] : "{}"
            guard let json = try? JSON(parsing: Array(text.utf8)), case .object = json else {
                throw CommandFault("the input is a JSON object such as {\"productId\": 1}, or - for standard input")
            }
            server = try RemoteServer(words[0], environment)
            path = "/v1/spaces/\(words[1])"
            input = json.written
            let random = (0..<4).map { _ in String(UInt32.random(in: 0...UInt32.max), radix: 36) }
            self.key = key ?? random.joined(separator: "-")
        } catch {
            throw CommandFault(error.description, status: 2)
        }
    }

    /// Performs the action: sends it until the server answers.
    func run() throws(CommandFault) {
        var said = ""
        for failures in 0... {
            var answer: OutgoingResponse?
            switch server.attempt("POST", path, body: input, [.init("Idempotency-Key", key)]) {
            case .success(let response) where (200..<300).contains(response.status):
                return StandardStreams.print(String(decoding: response.body, as: UTF8.self))
            case .success(let response) where !RemoteServer.isPassing(response.status):
                throw RemoteServer.fault(of: response)
            case .success(let response): answer = response
            case .failure(let failure) where failure.kind == .refused:
                throw CommandFault("\(server.url) cannot be reached: \(failure)")
            case .failure(let failure):
                if failure.description != said {
                    StandardStreams.printError("no answer: \(failure); the action is sent again with the key \(key)")
                }
                said = failure.description
            }
            RemoteServer.pause(after: failures, answer)
        }
    }
}
