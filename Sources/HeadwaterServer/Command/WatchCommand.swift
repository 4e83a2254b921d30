import Expressions
import Glibc
import Ground
import JSON
import Outgoing
import Platform
import StateStore

/// The command `headwater watch`: it prints the values of views, and what changes in them, as lines.
struct WatchCommand {
    /// The greatest silence of a stream. The server sends a comment each 15 seconds.
    private static let silence = Duration.seconds(45)
    private static let viewsLimit = 1_000

    private let server: RemoteServer
    private let names: [String]
    private let end: Expression?

    init(_ arguments: [String], _ environment: [String: String]) throws(CommandFault) {
        var words: [String] = []
        var end: String?
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word == "--until" || word.hasPrefix("--until=") {
                guard let text = word == "--until" ? rest.popFirst() : String(word.dropFirst("--until=".count)) else {
                    throw CommandFault("--until takes an expression", status: 2)
                }
                end = text
            } else if word.hasPrefix("--") {
                throw CommandFault("watch has no option \(word): see \(ProgramName.text) help watch", status: 2)
            } else {
                words.append(word)
            }
        }
        guard let url = words.first, (2...Self.viewsLimit + 1).contains(words.count) else {
            throw CommandFault(
                "watch takes a URL and one to \(Self.viewsLimit) views: see \(ProgramName.text) help watch", status: 2)
        }
        names = Array(words.dropFirst())
        for name in names where !name.contains("/") {
            throw CommandFault("watch takes views such as main/cart.totalPrice, not \(name)", status: 2)
        }
        do throws(ExpressionFault) {
            self.end = try end.map { text throws(ExpressionFault) in try Expression(text, names: ["value", "values"]) }
        } catch {
            throw CommandFault("--until: \(error)", status: 2)
        }
        do throws(CommandFault) {
            server = try RemoteServer(url, environment)
        } catch {
            throw CommandFault(error.description, status: 2)
        }
    }

    /// Prints until the expression is true, or for ever.
    func run() throws(CommandFault) {
        let printer = WatchPrinter(names, until: end)
        for failures in 0... {
            let outcome = server.follow("/v1/live", body: printer.request, silence: Self.silence) { printer.take($0) }
            if let fault = printer.fault { throw fault }
            if printer.hasEnded { return }
            var answer: OutgoingResponse?
            if case .success(let response) = outcome {
                answer = response
                guard (200..<300).contains(response.status) || RemoteServer.isPassing(response.status) else {
                    throw RemoteServer.fault(of: response)
                }
            }
            StandardStreams.printError("the stream of \(server.url) has ended: it is opened again")
            RemoteServer.pause(after: printer.takeProgress() ? 0 : failures, answer)
        }
    }
}

/// The lines of the values that a command follows.
private final class WatchPrinter: Sendable {
    private struct PrinterState {
        var values: FollowedValues
        var parser = EventParser()
        var hasEnded = false
        var hasProgress = false
        var fault: CommandFault?
        /// What was said of the expression last.
        var complaint: String?
    }

    private let state: Lock<PrinterState>
    private let end: Expression?
    private let isColored = isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil

    init(_ names: [String], until end: Expression?) {
        state = Lock(PrinterState(values: FollowedValues(names)))
        self.end = end
    }

    /// The body of the next stream.
    var request: [UInt8] {
        state.withLock { state in
            state.parser = EventParser()
            return state.values.request
        }
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }
    var fault: CommandFault? { state.withLock { $0.fault } }

    /// True if an event has come since the last call.
    func takeProgress() -> Bool {
        state.withLock { state in
            defer { state.hasProgress = false }
            return state.hasProgress
        }
    }

    /// Takes a piece of the stream. Returns false at the end.
    func take(_ bytes: [UInt8]) -> Bool {
        state.withLock { state in
            for event in state.parser.take(bytes) where event.name == "message" {
                state.hasProgress = true
                do {
                    try show(event.data, &state)
                } catch {
                    // The next stream begins with all values.
                    state.values.forget()
                    return false
                }
                if state.fault != nil || state.hasEnded { return false }
            }
            return true
        }
    }

    private func show(_ data: String, _ state: inout PrinterState) throws(FollowedValues.UnfitEvent) {
        for (name, change) in try state.values.take(data) {
            switch change {
            case .value(let value): StandardStreams.print("\(colored(name, 36)) \(text(value))")
            case .patch(let patch):
                for operation in patch.operations { StandardStreams.print("\(colored(name, 36)) \(line(operation))") }
            case .gone(let problem):
                let detail = if case .string(let text)? = problem["detail"] { text } else { text(problem) }
                StandardStreams.printError("\(name) cannot be read: \(detail)")
            }
        }
        if state.values.areAllGone {
            state.fault = CommandFault("none of the views can be read")
        } else if let end {
            let (isTrue, complaint) = evaluate(end, state.values)
            state.hasEnded = isTrue
            if let complaint, complaint != state.complaint { StandardStreams.printError(complaint) }
            state.complaint = complaint
        }
    }

    /// Evaluates the expression. One that fails, perhaps because a value is missing yet, is false, and has a complaint.
    private func evaluate(_ end: Expression, _ values: FollowedValues) -> (isTrue: Bool, complaint: String?) {
        var all = JSON.Object()
        for name in values.names { if let value = values.values[name] { all[name] = value } }
        let first = values.names.first.flatMap { values.values[$0] } ?? .null
        do {
            let text = try end.text([first, .object(all)])
            return (text == "true", ["true", "false"].contains(text) ? nil : "--until is neither true nor false")
        } catch {
            return (false, "--until cannot be evaluated: \(error)")
        }
    }

    /// An operation of a patch: its name, its path and its value.
    private func line(_ operation: JSON) -> String {
        func plain(_ name: String) -> String? { if case .string(let text)? = operation[name] { text } else { nil } }
        var words = [colored(plain("op") ?? "", 33), "\(text(.string(plain("path") ?? "")))"]
        if let from = plain("from") { words.append("from \(text(.string(from)))") }
        if let value = operation["value"] { words.append(text(value)) }
        return words.joined(separator: " ")
    }

    private func text(_ value: JSON) -> String { String(decoding: value.written, as: UTF8.self) }

    private func colored(_ text: String, _ color: Int) -> String {
        isColored ? "\u{1B}[\(color)m\(text)\u{1B}[0m" : text
    }
}

/// A parser of server-sent events, as the HTML standard describes the stream: it takes bytes in any pieces.
struct EventParser {
    /// An event with data.
    struct ParsedEvent: Hashable {
        /// The name; `message` for an event without one.
        let name: String
        let data: String
    }

    private static let (lineFeed, carriageReturn, colon): (UInt8, UInt8, UInt8) = (0x0A, 0x0D, 0x3A)

    private var line: [UInt8] = []
    private var isFirstLine = true
    /// True after a carriage return, whose line feed belongs to the same end of a line.
    private var isAfterReturn = false
    private var name = ""
    private var data: [String] = []

    /// Takes a piece of the stream, and returns the events that it completes.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [ParsedEvent] {
        var events: [ParsedEvent] = []
        for byte in bytes {
            defer { isAfterReturn = byte == Self.carriageReturn }
            if byte == Self.lineFeed, isAfterReturn { continue }
            guard byte == Self.lineFeed || byte == Self.carriageReturn else {
                line.append(byte)
                continue
            }
            if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
            isFirstLine = false
            if let event = takeLine() { events.append(event) }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }

    /// Takes a line, and returns the event that it ends.
    private mutating func takeLine() -> ParsedEvent? {
        guard !line.isEmpty else {
            defer { (name, data) = ("", []) }
            guard !data.isEmpty else { return nil }
            return ParsedEvent(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
        }
        let end = line.firstIndex(of: Self.colon) ?? line.endIndex
        var value = line[end...].dropFirst()
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        switch String(decoding: line[..<end], as: UTF8.self) {
        case "data": data.append(String(decoding: value, as: UTF8.self))
        case "event": name = String(decoding: value, as: UTF8.self)
        default: break
        }
        return nil
    }
}
