import JSON
import Schemas

/// Returns a schema that has no faults.
func schema(_ json: JSON, types: JSON.Object = JSON.Object()) throws -> ValueSchema {
    var reader = SchemaReader(types: types)
    let schema = reader.schema(json)
    if let fault = reader.faults.first { throw fault }
    return schema
}

/// Returns the faults of a schema, as pointer and description.
func faults(_ json: JSON, types: JSON.Object = JSON.Object()) -> [String] {
    var reader = SchemaReader(types: types)
    _ = reader.schema(json)
    return reader.faults.map { "\($0.pointer): \($0.description)" }
}

/// Parses JSON.
func parse(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }
