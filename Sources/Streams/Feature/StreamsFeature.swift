import JSON
package import StateModel

extension Feature {
    /// Reactive pipelines as data: the actions `put` and `remove`, the view of all definitions, and a view of each
    /// stream that live views alone feed. With `hasExamples` every space starts with ten definitions, else with none.
    package static func streams(_ formulas: Formulas = .cel, hasExamples: Bool = false) -> Feature {
        var feature = Feature(
            "streams", state: { StreamsState(hasExamples ? ExampleStreams.definitions : [:]) },
            service: { StreamsService($0, $1, formulas) },
            viewModel: { StreamsViewModel($0, $1, formulas) }
        ).ofServer
        feature.defines = true
        return feature
    }
}

/// The streams that every space starts with in a server with the example `streams`. They are the first rows of its table,
/// and are changed and removed like others.
enum ExampleStreams {
    static var definitions: [String: StoredDefinition] {
        var rows: [String: StoredDefinition] = [:]
        for document in documents {
            if case .string(let id)? = document["id"] { rows[id] = StoredDefinition(document) }
        }
        return rows
    }

    private static let documents: [JSON] = [
        serial("a", "Serial Stream A", [1, 2, 3, 4], seconds: 1),
        serial("b", "Serial Stream B", ["A", "B", "C", "D"], seconds: 2),
        one("filter", "Filter Stream", of: ["filter": ["expression": "value != 3"]]),
        one("drop", "Drop Stream", of: ["dropFirst": ["count": 2]]),
        one("map", "Map Stream", of: ["map": ["expression": "value * 2"]]),
        one("scan", "Scan Stream", of: ["scan": ["initialValue": 0, "expression": "accumulated + value"]]),
        both("merge", "Merge Stream"),
        both("append", "Append Stream"),
        both("zip", "Zip Stream"),
        both("combineLatest", "Combine Latest Stream"),
    ]

    /// Values, each after a delay.
    private static func serial(_ id: String, _ name: String, _ values: [JSON], seconds: Int64) -> JSON {
        let items = values.map { value -> JSON in
            ["value": value, "operators": [["delay": ["seconds": .number(Decimal(seconds))]]]]
        }
        return ["id": .string(id), "name": .string(name), "description": nil, "stream": .array(items)]
    }

    /// Stream A with one operator.
    private static func one(_ id: String, _ name: String, of one: JSON) -> JSON {
        ["id": .string(id), "name": .string(name), "description": nil, "source": ["ref": "a"], "operators": [one]]
    }

    /// Streams A and B in one source.
    private static func both(_ id: String, _ name: String) -> JSON {
        [
            "id": .string(id), "name": .string(name), "description": nil,
            "source": ["\(id)": [["ref": "a"], ["ref": "b"]]], "operators": [],
        ]
    }
}
