import JSON
import Streams

/// Trials in a short notation.
enum Bench {
    /// Returns the answer of a trial, or its faults.
    static func answer(to body: String, stored: [String] = [], formulas: Formulas = .byHeart) -> JSON? {
        do {
            let library = try library(stored, formulas)
            return try StreamTrial(JSON(parsing: Array(body.utf8)), formulas: formulas) { library[$0] }.run()
        } catch {
            return .string("\(error)")
        }
    }

    /// The events of a source with operators, as `0.5:1 2:"x" 3:end`. Inputs are marbles whose digits are numbers, unless they are lists.
    static func events(
        of source: String, _ operators: String = "", inputs: [String: String] = [:], stored: [String] = [],
        until: String? = nil,
        formulas: Formulas = .byHeart
    ) -> String {
        let played = inputs.map { "\"\($0.key)\":\($0.value.hasPrefix("[") ? $0.value : "\"\($0.value)\"")" }.joined(
            separator: ",")
        let digits = (0...9).map { "\"\($0)\":\($0)" }.joined(separator: ",")
        let end = until.map { ",\"until\":\($0)" } ?? ""
        let body =
            "{\"definition\":{\"source\":\(source),\"operators\":[\(operators)]},\"inputs\":{\(played)},\"values\":{\(digits)}\(end)}"
        let answer = answer(to: body, stored: stored, formulas: formulas)
        guard case .array(let events)? = answer?["events"] else { return "\(answer ?? nil)" }
        return events.map(shown).joined(separator: " ")
    }

    /// The events of `{"input": "a"}` behind operators.
    static func events(_ marble: String, _ operators: String, until: String? = nil) -> String {
        events(of: "{\"input\":\"a\"}", operators, inputs: ["a": marble], until: until)
    }

    private static func shown(_ event: JSON) -> String {
        let at = event["at"] ?? nil
        if let value = event["value"] { return "\(at):\(value)" }
        return event["end"] == true ? "\(at):end" : "\(at):failed(\(event["error"]?["detail"] ?? nil))"
    }

    static func library(_ documents: [String], _ formulas: Formulas = .byHeart) throws -> [String: StreamDefinition] {
        var library: [String: StreamDefinition] = [:]
        for text in documents {
            let definition = try StreamDefinition(JSON(parsing: Array(text.utf8)), formulas: formulas)
            library[definition.id!] = definition
        }
        return library
    }
}
