import JSON

extension DocumentReader {
    /// Reads a variable or a table that clients may hold.
    mutating func replica(_ name: String, _ json: JSON, at pointer: JSONPointer) -> WrittenReplica? {
        guard let object = object(json, at: pointer, "the replica of \(name)") else { return nil }
        refuseOthers(in: object, than: Keywords.replica, at: pointer)
        var replica = WrittenReplica(state: WrittenName(name: name, pointer: pointer))
        replica.condition = expression(ifThere: object, "where", at: pointer)
        if object["of"] != nil { replica.parent = reference(object["of"], "of", at: pointer) }
        replica.by = expression(ifThere: object, "by", at: pointer)
        if object["of"] != nil, object["where"] != nil {
            faults.add("a table has either \"where\" or \"of\"", at: pointer.appending("where"))
        }
        if object["of"] != nil, object["by"] == nil { missing("by", at: pointer) }
        if object["by"] != nil, object["of"] == nil { missing("of", at: pointer) }
        return replica
    }
}
