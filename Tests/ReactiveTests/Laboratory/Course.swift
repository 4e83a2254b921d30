import Reactive
import Testing

/// A timeline drawn as text: the events of the sources, the spans of their subscriptions, and the expected events.
///
///     a      -1---3-|
///            ^------!
///     hot b  --2--|
///            ^----!
///     =      -12--x-|   x:3
///
/// Below a source stand the spans of its subscriptions; none if it has none. A hot source plays once, from the
/// beginning, with or without listeners. Of hot sources in the same second, the first drawn is first. Below the
/// expected events stands the span of observation, if it does not last from the beginning to the end. The end of their
/// line defines the characters: a value, or for `#` an error other than the sources' error.
struct Course: Sendable, CustomTestStringConvertible {
    let text: String
    private var sources: [(name: String, marble: Marble, isHot: Bool, spans: [Span])] = []
    private var outcomes: [(lines: [String], span: Span)] = []

    /// A timeline of one source, `a`: its events, the spans of its subscriptions, and the expected events.
    init(_ source: String, _ spans: String, _ told: String, until stop: String = "^") {
        let spans = spans.split(separator: " ").joined(separator: "\n")
        self.init("a \(source)\n\(spans)\n= \(told)\n\(stop)")
    }

    init(_ text: String) {
        self.text = text
        for line in text.split(separator: "\n") {
            var words = line.split(separator: " ").map(String.init)
            if words.count == 1, let span = Span(words[0]) {
                note(span)
            } else if words[0] == "=", words.count > 1 {
                outcomes.append((Self.lines(Self.marble(words[1]), Self.legend(words[2...])), Span("^")!))
            } else {
                let isHot = words.count == 3 && words.removeFirst() == "hot"
                precondition(words.count == 2, "neither a source nor a span nor an outcome: \(line)")
                sources.append((words[0], Self.marble(words[1]), isHot, []))
            }
        }
    }

    private mutating func note(_ span: Span) {
        if outcomes.isEmpty {
            sources[sources.count - 1].spans.append(span)
        } else {
            outcomes[outcomes.count - 1].span = span
        }
    }

    private static func marble(_ drawing: String) -> Marble {
        do { return try Marble(drawing) } catch { preconditionFailure("\(drawing) is no marble: \(error)") }
    }

    private static func legend(_ words: ArraySlice<String>) -> [Character: String] {
        Dictionary(
            uniqueKeysWithValues: words.map { word in
                precondition(
                    word.count > 2 && word.dropFirst().first == ":", "\(word) does not say what a character is for")
                return (word.first!, String(word.dropFirst(2)))
            })
    }

    private static func lines(_ marble: Marble, _ legend: [Character: String]) -> [String] {
        marble.events.map { time, event in
            switch event {
            case .value(let character): "\(time) \(legend[character] ?? String(character))"
            case .completion: "\(time) |"
            case .failure: "\(time) # \(legend["#"] ?? "Broken")"
            }
        }
    }

    var testDescription: String {
        text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }.joined(separator: "   ")
    }

    /// Checks that the observable of `make` takes this course in each order of propagation, and that nothing stays
    /// active.
    func holds<Value>(
        in orders: [Graph.JointOrder] = [.byHeight, .onArrival], at location: SourceLocation = #_sourceLocation,
        _ make: (Laboratory) throws -> Observable<Value>
    ) rethrows {
        for order in orders {
            let laboratory = Laboratory(order)
            for source in sources { laboratory.add(source.name, source.marble, isHot: source.isHot) }
            weak var kept: Observable<Value>?
            let recordings: [Recording]
            do {
                let made = try make(laboratory)
                kept = made
                recordings = laboratory.watch(made, over: outcomes.map(\.span))
            }
            for (recording, outcome) in zip(recordings, outcomes) {
                #expect(recording.lines == outcome.lines, "told, \(order)\n\(text)", sourceLocation: location)
            }
            for source in sources {
                let spans = laboratory.sources[source.name]?.spans.map(\.drawing)
                #expect(
                    spans == source.spans.map(\.drawing), "spans of \(source.name), \(order)\n\(text)",
                    sourceLocation: location)
            }
            let isSource = laboratory.sources.values.contains { $0.observable === kept }
            #expect(
                kept == nil || isSource, "retained without an observer, \(order)\n\(text)", sourceLocation: location)
            #expect(laboratory.clock.count == 0, "alarms left, \(order)\n\(text)", sourceLocation: location)
            #expect(laboratory.graph.activeCount == 0, "active nodes left, \(order)\n\(text)", sourceLocation: location)
        }
    }
}
