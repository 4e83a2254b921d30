import Hosting
import Documents
import JSON
package import StateStore

extension Registry {
    /// The lobby as a document: its rows in memory only stand in the order of their first adding.
    package static func documentLobby() throws -> Registry {
        let document = #"""
            {"feature": "lobby", "home": "space",
             "state": {
               "topic": {"value": {"type": "string"}, "initial": ""},
               "left": {"value": {"type": "integer"}, "initial": 0},
               "here": {"table": {"key": {"type": "string"}, "row": {"type": "integer"}}, "kept": false,
                 "presence": true, "grace": 3, "onLeave": "leave"},
               "cursors": {"table": {"key": {"type": "string"}, "row": {"type": "integer"}}, "kept": false}},
             "actions": {
               "leave": {"do": [{"set": "left", "to": "state.left + 1"}]},
               "move": {"input": {"type": "object", "properties": {"name": {"type": "string"},
                 "x": {"type": "integer"}}, "required": ["name", "x"]},
                 "do": [{"put": "cursors", "key": "input.name", "row": "input.x"}]},
               "hide": {"input": {"type": "object", "properties": {"token": {"type": "string"}},
                 "required": ["token"]}, "do": [{"remove": "cursors", "key": "input.token"}]},
               "rename": {"input": {"type": "object", "properties": {"token": {"type": "string"}},
                 "required": ["token"]}, "do": [{"set": "topic", "to": "input.token"}]}},
             "views": {
               "here": {"from": "here", "select": "key"}, "cursors": {"from": "cursors", "select": "key"},
               "sum": {"from": "cursors", "sum": "row"}, "left": {"expression": "state.left"},
               "topic": {"expression": "state.topic"}}}
            """#
        let compiled = FeatureCompiler().compile(["lobby": try JSON(parsing: Array(document.utf8))], beside: [:])
        return try Registry([]).describing(compiled.values.map { DeployedFeature(try $0.get()) })
    }
}
