import Expressions
import JSON
import Platform

/// The command `headwater eval`: one expression, or the cases of a conformance suite.
enum Evaluation {
    static func run(_ arguments: [String]) -> Int32 {
        ZoneDatabase.use(SystemZones.read)
        do throws(CommandFault) {
            return try evaluate(arguments)
        } catch {
            return ServerLifecycle.fail(error, 2)
        }
    }

    private static func evaluate(_ arguments: [String]) throws(CommandFault) -> Int32 {
        var source: String?
        var given: [(name: String, value: JSON)] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--value", "--accumulated":
                guard let text = rest.popFirst() else { throw CommandFault("\(argument) takes a JSON value") }
                given.append((String(argument.dropFirst(2)), try value(text, of: argument)))
            case "--cases":
                guard let path = rest.popFirst(), rest.isEmpty, source == nil, given.isEmpty else {
                    throw CommandFault("--cases takes a file, or - for standard input, and no other argument")
                }
                return try cases(path)
            case _ where argument.hasPrefix("--value="), _ where argument.hasPrefix("--accumulated="):
                let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                given.append((String(parts[0].dropFirst(2)), try value(String(parts[1]), of: String(parts[0]))))
            case _
            where argument.hasPrefix("--") && argument.count > 2 && source == nil
                && argument.dropFirst(2).allSatisfy { $0.isLetter || $0 == "-" }:
                throw CommandFault("eval has no option \(argument): see \(ProgramName.text) help eval")
            default:
                guard source == nil else { throw CommandFault("eval takes one expression: put it in quotation marks") }
                source = argument
            }
        }
        guard let source else { throw CommandFault("eval takes an expression: see \(ProgramName.text) help eval") }
        return compute(source, given)
    }

    private static func value(_ text: String, of option: String) throws(CommandFault) -> JSON {
        do {
            return try JSON(parsing: Array(text.utf8))
        } catch {
            throw CommandFault("\(option) takes a JSON value: \(error.reason)")
        }
    }

    private static func compute(_ source: String, _ given: [(name: String, value: JSON)]) -> Int32 {
        do {
            StandardStreams.print(try Expression(source, names: given.map(\.name)).text(given.map(\.value)))
            return 0
        } catch {
            StandardStreams.printError("\(ProgramName.text): \(error)")
            return 1
        }
    }

    /// Evaluates the cases of a file, one JSON object per line.
    private static func cases(_ path: String) throws(CommandFault) -> Int32 {
        let text = try path == "-" ? TextFile.readInput() : TextFile.read(path)
        var areAllOk = true
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard line.utf8.contains(where: { $0 > 0x20 }) else { continue }
            // Every fault of a line has the same message with its number.
            guard let document = try? JSON(parsing: Array(line.utf8), depth: 512),
                let conformance = Conformance(document)
            else {
                throw CommandFault("\(path), line \(index + 1): not a case")
            }
            let report = conformance.report()
            if report["ok"] != .bool(true) { areAllOk = false }
            StandardStreams.print(String(decoding: report.written, as: UTF8.self))
        }
        return areAllOk ? 0 : 1
    }
}
