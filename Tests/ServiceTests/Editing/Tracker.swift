import Hosting
import Documents
import JSON
import ServiceInProcess

/// A document with rows, private members, guards and rules, and a server that has it.
enum Tracker {
    static let document = #"""
        // A tracker of tasks.
        {
          "$schema": "https://example.org/schemas/feature.json",
          "feature": "tracker", "home": "space",
          "types": {
            "Task": {
              "type": "object",
              "properties": {
                "title": {"type": "string", "maxLength": 20}, "votes": {"type": "integer", "default": 0},
                "note": {"type": "string", "private": true, "default": ""}
              },
              "required": ["title"]
            }
          },
          "state": {
            "tasks": {"table": {"key": {"type": "string", "maxLength": 8}, "row": {"$ref": "#/types/Task"}}},
            "label": {"value": {"type": "string"}, "initial": "new"}
          },
          "actions": {
            "add": {
              "input": {
                "type": "object",
                "properties": {"id": {"type": "string"}, "title": {"type": "string"}, "note": {"type": "string"}},
                "required": ["id", "title"]
              },
              "require": [
                {"that": "!(input.id in state.tasks)", "else": {"detail": "there is a task {input.id}", "pointer": "/id"}},
              ],
              "do": [
                {"put": "tasks", "key": "input.id", "row": "{'title': input.title, 'note': has(input.note) ? input.note : ''}"}
              ]
            },
            "rename": {
              "input": {"type": "object", "properties": {"label": {"type": "string"}}, "required": ["label"]},
              "allow": "token.sub == 'root'",
              "do": [{"set": "label", "to": "input.label"}] /* one step */
            },
            "vote": {
              "input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
              "do": [{"update": "tasks", "key": "input.id", "with": "{'votes': row.votes + 1}"}]
            }
          },
          "views": {
            "titles": {"from": "tasks", "select": "row.title"},
            "votes": {"from": "tasks", "sum": "row.votes"},
            "label": {"expression": "state.label"},
            "task": {
              "parameters": {"id": {"type": "string"}}, "expression": "input.id in state.tasks ? state.tasks[input.id].title : ''"
            }
          },
        }
        """#

    /// The token `secret` administers all spaces, `key` acts in all.
    static let tokens = """
        2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b admin * subject=root
        2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683 act * subject=ada
        """
    static let root = ["Authorization": "Bearer secret"]
    static let ada = ["Authorization": "Bearer key"]
    static let commented = ["Content-Type": "application/jsonc"]

    /// A server with the document, and two tasks in the space `main`.
    static func service(_ arguments: String..., tokens: String = tokens) throws -> ServiceInProcess {
        let service = try ServiceInProcess(
            tokenFile: tokens, arguments: arguments, documents: FeatureCompiler(), features: [])
        let put = try service.ask("PUT /v1/features/tracker", root.merging(commented) { $1 }, document)
        guard put.status == 201 else { throw Unexpected(reply: "\(put)") }
        for id in ["a", "b"] {
            let body = #"{"id": "\#(id)", "title": "Task \#(id)", "note": "SECRET"}"#
            let added = try service.ask("POST /v1/spaces/main/tracker/add", root, body)
            guard added.status == 200 else { throw Unexpected(reply: "\(added)") }
        }
        return service
    }

    struct Unexpected: Error {
        let reply: String
    }
}
