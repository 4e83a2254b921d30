import Documents
import Hosting
import JSON
import StateStore
import Testing

@testable import HeadwaterServer

/// The names of the types in the code of `headwater generate`, and in the contract.
@Suite struct GeneratedNamesTests {
    private static let documents: [String: String] = [
        "board": #"""
        {"feature": "board", "home": "space",
         "types": {
           "Level": {"enum": ["low", "high"]},
           "Task": {"type": "object", "properties": {
             "title": {"type": "string"}, "level": {"$ref": "#/types/Level"},
             "state": {"enum": ["open", "done"], "default": "open"},
             "place": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}},
             "required": ["title", "level", "place"]},
           "Record": {"type": "object", "properties": {"note": {"type": "string"}}, "required": ["note"]}},
         "state": {
           "tasks": {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Task"}}},
           "records": {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Record"}}},
           "marks": {"table": {"key": {"type": "string"}, "row": {
             "type": "object", "properties": {"at": {"type": "integer"}}, "required": ["at"]}}}},
         "actions": {
           "put": {"input": {"type": "object", "properties": {
             "id": {"type": "string"}, "task": {"$ref": "#/types/Task"}}, "required": ["id", "task"]},
             "do": [{"put": "tasks", "key": "input.id", "row": "input.task"}]},
           "move": {"input": {"type": "object", "properties": {"level": {"enum": ["low", "high"]}}}, "do": []}},
         "views": {
           "tasks": {"from": "tasks"}, "open": {"from": "tasks", "where": "row.state == 'open'"},
           "records": {"from": "records"}, "marks": {"from": "marks"}, "late": {"from": "marks", "where": "row.at > 3"},
           "lines": {"from": "tasks", "select": "{'text': row.title, 'state': row.state}"},
           "state": {"parameters": {"id": {"type": "string"}}, "expression": "state.tasks[input.id].state"},
           "mixed": {"parameters": {"id": {"type": "string"}},
             "expression": "input.id in state.tasks ? state.tasks[input.id].state : 'none'"},
           "levels": {"expression": "state.tasks.map(k, [state.tasks[k].level, state.tasks[k].level])"},
           "texts": {"expression": "state.tasks.map(k, state.tasks[k].level + '!')"},
           "either": {"parameters": {"id": {"type": "string"}}, "expression":
             "input.id in state.tasks ? {'s': state.tasks[input.id].state} : {'s': 'none'}"}}}
        """#,
        "plan": #"""
        {"feature": "plan", "home": "space",
         "types": {"Task": {"type": "object", "properties": {"day": {"type": "integer"}}, "required": ["day"]}},
         "state": {"tasks": {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Task"}}}},
         "actions": {"clear": {"do": []}}, "views": {"tasks": {"from": "tasks"}}}
        """#,
    ]

    private static func features() throws -> [JSON] {
        let results = FeatureCompiler().compile(
            try documents.mapValues { try JSON(parsing: Array($0.utf8)) }, beside: [:])
        let deployed = try ["board", "plan"].map { DeployedFeature(try #require(results[$0]).get()) }
        return Index(of: try Registry([]).describing(deployed)).features { _ in true }
    }

    @Test func `a type of a document has its own name, and what has none a short one`() throws {
        let model = TypeModel(try Self.features())
        #expect(
            model.records.map(\.name) == [
                "TaskPlace", "Task", "TaskEntry", "BoardRecord", "RecordEntry", "BoardMarksRow", "BoardMarksEntry",
                "BoardLinesItem", "BoardEither", "PlanTask", "PlanTaskEntry", "TaskInput",
            ])
        func value(_ name: String) -> TypeModel.ValueForm? { model.views.first { $0.name == name }?.value }
        #expect(value("open") == .list(.record("TaskEntry")) && value("late") == .list(.record("BoardMarksEntry")))
        let input = try #require(model.actions.first { $0.name == "put" }?.input)
        #expect(input.map(\.type) == [.string, .record("TaskInput")])
    }

    @Test func `a list of texts is one type, where a value is one of them and nothing else`() throws {
        let model = TypeModel(try Self.features())
        #expect(model.enumerations.map(\.name) == ["Level", "TaskState"])
        #expect(model.enumerations.map(\.texts) == [["low", "high"], ["open", "done"]])
        func value(_ name: String) -> TypeModel.ValueForm? { model.views.first { $0.name == name }?.value }
        #expect(value("state") == .enumeration("TaskState"))
        #expect(value("levels") == .list(.list(.enumeration("Level"))))
        #expect(value("mixed") == .string && value("texts") == .list(.string))
        #expect(model.record("BoardLinesItem")?.fields.map(\.type) == [.string, .enumeration("TaskState")])
        #expect(model.record("BoardEither")?.fields.map(\.type) == [.string])
        let move = try #require(model.actions.first { $0.name == "move" }?.input)
        #expect(move.map(\.type) == [.enumeration("Level")])
    }

    @Test func `the contract refers to types by name, and each name is there once`() throws {
        let described = DescribedPaths(of: try Self.features(), besides: ["BoardTask"])
        let names = described.schemas.map(\.key)
        #expect(Set(names).count == names.count)
        for name in ["BoardTask2", "BoardTaskEntry", "BoardTaskInput", "BoardLevel", "PlanTask", "BoardPutInput"] {
            #expect(names.contains(name), "\(names)")
        }
        #expect(!names.contains("BoardTask") && !names.contains("BoardLevelInput"))
        func schema(_ path: String, _ method: String) -> JSON? {
            let operation = described.paths["/v1/spaces/{space}/board/\(path)"]?[method]
            let body = method == "post" ? operation?["requestBody"] : operation?["responses"]?["200"]
            return body?["content"]?["application/json"]?["schema"]
        }
        #expect(schema("put", "post") == ["$ref": "#/components/schemas/BoardPutInput"])
        #expect(
            schema("open", "get") == ["type": "array", "items": ["$ref": "#/components/schemas/BoardTaskEntry"]])
        #expect(schema("open/window", "get") == ["$ref": "#/components/schemas/BoardOpenWindow"])
        var waiting = described.paths.map(\.value) + described.schemas.map(\.value)
        while let json = waiting.popLast() {
            if case .object(let object) = json {
                #expect(object["additionalProperties"] != JSON.null)
                if case .string(let text)? = object["$ref"], text.hasPrefix("#/components/schemas/Board") {
                    #expect(names.contains(String(text.dropFirst(21))), "\(text)")
                }
                waiting += object.map(\.value)
            } else if case .array(let elements) = json {
                waiting += elements
            }
        }
    }
}
