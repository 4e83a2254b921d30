import Expressions
import JSON
import Schemas
import StateModel

extension DocumentReader {
    /// Reads a variable or a table.
    mutating func state(_ name: String, _ json: JSON, at pointer: JSONPointer) -> WrittenState? {
        guard let object = object(json, at: pointer, "the state \(name)") else { return nil }
        let migrate = expression(ifThere: object, "migrate", at: pointer)
        let was = object["was"].flatMap { json in
            self.name(json, at: pointer.appending("was"), "was").map {
                WrittenName(name: $0, pointer: pointer.appending("was"))
            }
        }
        switch (object["value"], object["table"]) {
        case (let value?, nil):
            refuseOthers(in: object, than: Keywords.value, at: pointer)
            guard let form = variable(value, object["initial"], at: pointer) else { return nil }
            return WrittenState(name: name, pointer: pointer, form: form, written: value, migrate: migrate, was: was)
        case (nil, let table?):
            refuseOthers(in: object, than: Keywords.table, at: pointer)
            guard let part = self.table(table, object, at: pointer) else { return nil }
            var state = WrittenState(
                name: name, pointer: pointer, form: .table(part), written: table["row"] ?? [:], migrate: migrate,
                was: was
            )
            state.source = source(object["from"], at: pointer.appending("from"))
            if state.source != nil, was != nil {
                faults.add("a table has either \"was\" or \"from\"", at: pointer.appending("from"))
            }
            if let seed = object["seed"] {
                if seed == "always" {
                    state.seedsAlways = true
                } else {
                    faults.add("seed is \"always\", or left out", at: pointer.appending("seed"), allowed: ["always"])
                }
            }
            if !part.isKept {
                for member in ["was", "from", "seed"] where object[member] != nil {
                    faults.add("\(member) is for a table that is kept", at: pointer.appending(member))
                }
            }
            return state
        case (nil, nil):
            faults.add(
                "the state \(name) is a variable with \"value\", or a table with \"table\"", at: pointer,
                allowed: ["value", "table"])
        default: faults.add("the state \(name) is either a variable or a table", at: pointer)
        }
        return nil
    }

    private mutating func source(_ json: JSON?, at pointer: JSONPointer) -> WrittenSource? {
        guard let json, let object = object(json, at: pointer, "from") else { return nil }
        refuseOthers(in: object, than: Keywords.tableSource, at: pointer)
        guard let table = reference(object["table"], "table", at: pointer) else { return nil }
        return WrittenSource(
            table: table, condition: expression(ifThere: object, "where", at: pointer),
            row: expression(ifThere: object, "row", at: pointer), key: expression(ifThere: object, "key", at: pointer))
    }

    /// Notes names that a document declares and gives up at once.
    mutating func checkNames(of document: FeatureDocument) {
        let names = Set(document.state.map(\.name))
        var earlier: Set<String> = []
        for part in document.state {
            guard let was = part.was else { continue }
            if names.contains(was.name) { faults.add("\(was.name) is a name of this document too", at: was.pointer) }
            if !earlier.insert(was.name).inserted { faults.add("two parts were \(was.name)", at: was.pointer) }
        }
        for drop in document.drops {
            if names.contains(drop.name) { faults.add("\(drop.name) is a name of this document", at: drop.pointer) }
            if earlier.contains(drop.name) { faults.add("\(drop.name) gets another name", at: drop.pointer) }
        }
    }

    private mutating func variable(
        _ json: JSON, _ initial: JSON?, at pointer: JSONPointer
    ) -> WrittenState.WrittenStateForm? {
        let before = schemas.faults.count
        let schema = schemas.schema(json, at: pointer.appending("value"))
        guard let initial else {
            missing("initial", at: pointer)
            return nil
        }
        let value =
            schemas.faults.count == before ? checked(initial, schema, at: pointer.appending("initial")) : initial
        return .value(schema, initial: value)
    }

    /// Returns a value with its defaults, and notes the fault that it has.
    private mutating func checked(_ json: JSON, _ schema: ValueSchema, at pointer: JSONPointer) -> JSON {
        let value = schema.filled(json)
        if let fault = schema.fault(in: value, at: pointer) {
            faults.add(fault.description, at: fault.pointer, allowed: fault.allowed)
        }
        return value
    }

    private mutating func table(_ json: JSON, _ object: JSON.Object, at pointer: JSONPointer) -> WrittenTable? {
        let place = pointer.appending("table")
        guard let form = self.object(json, at: place, "table") else { return nil }
        refuseOthers(in: form, than: Keywords.tableForm, at: place)
        let before = schemas.faults.count
        guard let keyJSON = form["key"], let rowJSON = form["row"] else {
            for member in Keywords.tableForm where form[member] == nil { missing(member, at: place) }
            return nil
        }
        let key = schemas.schema(keyJSON, at: place.appending("key"))
        let row = schemas.schema(rowJSON, at: place.appending("row"))
        guard schemas.faults.count == before else { return nil }
        if key.type != .string {
            faults.add("a key is a string: write {\"type\": \"string\"}", at: place.appending("key"))
        }
        if key.hasPrivateParts {
            faults.add("a key names its row, so it cannot be private", at: place.appending("key"))
        }
        var part = WrittenTable(key: key, row: row)
        part.initial = rows(object["initial"], part, at: pointer.appending("initial"))
        part.isKept = truth(object["kept"], at: pointer.appending("kept"), "kept", true)
        part.isPresence = truth(object["presence"], at: pointer.appending("presence"), "presence", false)
        if part.isPresence, part.isKept {
            faults.add("the rows of connections are not kept: write \"kept\": false", at: pointer.appending("presence"))
        }
        if !part.isKept, !part.initial.isEmpty {
            faults.add("a table that is not kept begins without rows", at: pointer.appending("initial"))
        }
        if let grace = object["grace"] {
            part.grace = count(grace, at: pointer.appending("grace"), "grace", in: 0...3_600) ?? 0
        }
        part.indexes = indexes(object["indexes"], at: pointer.appending("indexes"))
        for index in part.indexes where index.isUnique && part.isPresence {
            faults.add(
                "the rows of connections come without an action, so no index of them is unique",
                at: index.pointer.appending("unique"))
        }
        if object["onLeave"] != nil { part.onLeave = reference(object["onLeave"], "onLeave", at: pointer) }
        for member in ["grace", "onLeave"] where object[member] != nil && !part.isPresence {
            faults.add("\(member) is for a table with \"presence\": true", at: pointer.appending(member))
        }
        return part
    }

    private mutating func indexes(_ json: JSON?, at pointer: JSONPointer) -> [WrittenIndex] {
        guard let json, let object = object(json, at: pointer, "indexes") else { return [] }
        guard object.count <= DocumentLimits.indexes else {
            faults.add("there are \(object.count) indexes; the limit is \(DocumentLimits.indexes)", at: pointer)
            return []
        }
        return object.compactMap { member in
            let place = pointer.appending(member.key)
            guard let name = name(.string(member.key), at: place, "index") else { return nil }
            return index(name, member.value, at: place)
        }
    }

    private mutating func index(_ name: String, _ json: JSON, at pointer: JSONPointer) -> WrittenIndex? {
        guard let object = object(json, at: pointer, "the index \(name)") else { return nil }
        refuseOthers(in: object, than: Keywords.index, at: pointer)
        var index = WrittenIndex(name: name, pointer: pointer)
        let place = pointer.appending("by")
        if case .string? = object["by"] {
            index.by = [expression(object, "by", at: pointer)].compactMap(\.self)
        } else if let by = object["by"],
            let elements = list(by, at: place, "by", limit: DocumentLimits.groupKeys)
        {
            index.by = elements.enumerated().compactMap { expression($1, at: place.appending("\($0)"), "by") }
        }
        index.sort = sort(object["sort"], at: pointer.appending("sort"))
        index.condition = expression(ifThere: object, "where", at: pointer)
        index.isUnique = truth(object["unique"], at: pointer.appending("unique"), "unique", false)
        if let search = object["search"] {
            readSearch(search, of: &index, object)
        } else if object["by"] == nil, object["sort"] == nil, object["where"] == nil, object["unique"] == nil {
            faults.add("an index has by, sort, where or search", at: pointer, allowed: Keywords.index)
        }
        return index
    }

    private mutating func readSearch(_ json: JSON, of index: inout WrittenIndex, _ object: JSON.Object) {
        let place = index.pointer.appending("search")
        for member in ["by", "sort", "where", "unique"] where object[member] != nil {
            faults.add(
                "a full-text index has search alone: the view that reads it selects and sorts",
                at: index.pointer.appending(member))
        }
        guard let elements = list(json, at: place, "search", limit: DocumentLimits.searchFields) else { return }
        if elements.isEmpty { faults.add("search names at least one text, as in row.title", at: place) }
        index.search = elements.enumerated().compactMap { expression($1, at: place.appending("\($0)"), "search") }
    }

    private mutating func rows(_ json: JSON?, _ part: WrittenTable, at pointer: JSONPointer) -> JSON.Object {
        var rows = JSON.Object()
        guard let json, let object = object(json, at: pointer, "initial") else { return rows }
        for member in object {
            let place = pointer.appending(member.key)
            if let fault = part.key.fault(in: .string(member.key), at: place) {
                faults.add(fault.description, at: fault.pointer, allowed: fault.allowed)
            }
            rows[member.key] = checked(member.value, part.row, at: place)
            if rows[member.key] == .null { faults.add(NullRows.reason, at: place) }
        }
        return rows
    }
}
