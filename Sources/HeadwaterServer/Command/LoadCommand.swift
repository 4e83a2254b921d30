import Glibc
import Ground
import JSON
import Outgoing
import StateStore

/// The command `headwater load`: it performs an action for each line of a file.
struct LoadCommand {
    /// The number of attempts at a line that the server is too busy for.
    private static let attemptsLimit = 100
    private static let secondsBetweenReports: Int64 = 2

    private let server: RemoteServer
    private let space: String
    private let feature: String
    private let action: String
    private let path: String

    init(_ arguments: [String], _ environment: [String: String]) throws(CommandFault) {
        var server = environment["HEADWATER_SERVER"] ?? "http://127.0.0.1:8080"
        var words: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                words.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts[0] == "--server" else {
                throw CommandFault("load has no option \(parts[0]): see \(ProgramName.text) help load")
            }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                throw CommandFault("--server takes a value")
            }
            server = value
        }
        guard words.count == 3 else {
            throw CommandFault("load takes a space, an action and a file: see \(ProgramName.text) help load")
        }
        guard SpaceName(words[0]) != nil else { throw CommandFault("\(words[0]) cannot be the name of a space") }
        let names = words[1].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard names.count == 2, names.allSatisfy(Registry.isName) else {
            throw CommandFault("load takes an action such as cart/add, not \(words[1])")
        }
        self.server = try RemoteServer(server, environment)
        (space, feature, action, path) = (words[0], names[0], names[1], words[2])
    }

    /// Loads the file, and returns the exit status: 1 if a line was refused.
    func run() throws(CommandFault) -> Int32 {
        let bytes = try contents()
        let schema = try inputSchema()
        let isCSV =
            path.hasSuffix(".csv") || bytes.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D } != UInt8(ascii: "{")
        let lines: [LoadLines.LoadLine]
        do throws(LoadLines.LoadFault) {
            lines = try LoadLines(bytes, isCSV: isCSV, schema: schema).lines
        } catch {
            throw CommandFault("\(path): \(error.description)")
        }
        var refused: [UInt8] = []
        var refusals = 0
        var reported = MonotonicTime.now
        for (index, line) in lines.enumerated() {
            if let problem = try perform(line) {
                refusals += 1
                let row: JSON = ["line": .number(Decimal(line.number)), "input": line.input, "problem": problem]
                refused += row.written + [0x0A]
            }
            if MonotonicTime.now - reported >= Self.secondsBetweenReports * 1_000_000_000 {
                reported = MonotonicTime.now
                StandardStreams.printError("\(index + 1) of \(lines.count) lines, \(refusals) refused")
            }
        }
        let file = path + ".refused"
        if refusals > 0 { try write(refused, to: file) } else { unlink(file) }
        StandardStreams.print(
            "\(lines.count - refusals) of \(lines.count) lines performed"
                + (refusals > 0 ? "; \(refusals) refused: see \(file)" : ""))
        return refusals > 0 ? 1 : 0
    }

    /// Performs the action with the input of a line. Returns the problem of a refusal.
    private func perform(_ line: LoadLines.LoadLine) throws(CommandFault) -> JSON? {
        if let fault = line.fault {
            return ["title": "The line has no input", "status": 422, "detail": .string(fault)]
        }
        for attempt in 1...Self.attemptsLimit {
            let answer = try server.ask(
                "POST", "/v1/spaces/\(space)/\(feature)/\(action)", body: line.input.written,
                [.init("Idempotency-Key", line.key)])
            if (200..<300).contains(answer.status) { return nil }
            if answer.status == 429 || answer.status == 503, attempt < Self.attemptsLimit {
                sleep(UInt32(min(max(answer["Retry-After"].flatMap { Int($0) } ?? 1, 1), 60)))
                continue
            }
            guard answer.status != 401, answer.status != 404 else { throw RemoteServer.fault(of: answer) }
            let problem = try? JSON(parsing: answer.body)
            return problem ?? ["status": .number(Decimal(answer.status))]
        }
        return nil
    }

    /// The schema of the action's input, from the server's index.
    private func inputSchema() throws(CommandFault) -> JSON {
        let answer = try server.ask("GET", "/v1")
        guard answer.status == 200, let index = try? JSON(parsing: answer.body),
            case .array(let features)? = index["features"]
        else { throw RemoteServer.fault(of: answer) }
        guard let found = features.first(where: { $0["name"] == .string(feature) }),
            case .array(let actions)? = found["actions"],
            let action = actions.first(where: { $0["name"] == .string(action) })
        else { throw CommandFault("\(server.url) has no action \(feature)/\(self.action)") }
        return action["parameters"] ?? [:]
    }

    // MARK: Files

    private func contents() throws(CommandFault) -> [UInt8] {
        guard let file = fopen(path, "rb") else {
            throw CommandFault("\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[0..<count] }
        return bytes
    }

    private func write(_ bytes: [UInt8], to path: String) throws(CommandFault) {
        guard let file = fopen(path, "wb") else {
            throw CommandFault("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
        let count = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, count == bytes.count else { throw CommandFault("\(path) cannot be written") }
    }
}
