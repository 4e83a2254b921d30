import JSON
import Schemas
import StateModel

extension DocumentReader {
    /// Reads a view.
    mutating func view(_ name: String, _ json: JSON, at pointer: JSONPointer) -> WrittenView? {
        guard let object = object(json, at: pointer, "the view \(name)") else { return nil }
        let forms = ["expression", "from", "source"]
        guard let member = self.form(of: object, "the view \(name)", among: forms, at: pointer) else { return nil }
        let form: WrittenView.WrittenViewForm?
        switch member {
        case "expression":
            refuseOthers(in: object, than: Keywords.expressionView, at: pointer)
            form = expression(object, "expression", at: pointer).map { .expression($0) }
        case "from":
            refuseOthers(in: object, than: Keywords.queryView, at: pointer)
            form = query(object, at: pointer).map { .query($0) }
        default:
            refuseOthers(in: object, than: Keywords.pipelineView, at: pointer)
            form = .pipeline(json)
        }
        guard let form else { return nil }
        var view = WrittenView(name: name, pointer: pointer, form: form)
        view.parameters = parameters(object["parameters"], at: pointer.appending("parameters"))
        view.allow = expression(ifThere: object, "allow", at: pointer)
        view.showsPrivate = truth(object["private"], at: pointer.appending("private"), "private", false)
        view.isLocal = truth(object["local"], at: pointer.appending("local"), "local", false)
        if let every = object["every"] { view.every = grain(every, at: pointer.appending("every")) }
        return view
    }

    /// Reads a grain of time, as a number of seconds.
    private mutating func grain(_ json: JSON, at pointer: JSONPointer) -> Int? {
        let units = ["s": 1, "m": 60, "h": 3_600, "d": DocumentLimits.grain]
        if case .string(let text) = json, let unit = text.last.flatMap({ units[String($0)] }),
            case let digits = text.dropLast(), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int(digits), (1...DocumentLimits.grain / unit).contains(count)
        {
            return count * unit
        }
        faults.add("every is a time from 1s to 1d", at: pointer, allowed: ["1s", "30s", "1m", "1h", "1d"])
        return nil
    }

    private mutating func parameters(_ json: JSON?, at pointer: JSONPointer) -> [WrittenParameter] {
        guard let json, let object = object(json, at: pointer, "parameters") else { return [] }
        guard object.count <= DocumentLimits.parameters else {
            faults.add("a view has at most \(DocumentLimits.parameters) parameters", at: pointer)
            return []
        }
        var parameters: [WrittenParameter] = []
        for member in object {
            let place = pointer.appending(member.key)
            guard let name = name(.string(member.key), at: place, "parameter") else { continue }
            guard !ViewParameter.reservedNames.contains(name) else {
                faults.add("a request uses the name \(name) otherwise", at: place)
                continue
            }
            let schema = schemas.schema(member.value, at: place)
            if !Self.isParameter(schema) {
                faults.add(
                    "a parameter is a string, an integer, a number or a boolean, or one of several such values",
                    at: place)
            }
            if schema.hasPrivateParts {
                faults.add("a parameter is part of the path, so it cannot be private", at: place)
            }
            parameters.append(WrittenParameter(name: name, schema: schema, written: member.value))
        }
        return parameters
    }

    private static func isParameter(_ schema: ValueSchema) -> Bool {
        guard schema.reference == nil else { return false }
        if let kinds = schema.kinds {
            return kinds.count == 1 && !kinds.isDisjoint(with: [.string, .integer, .number, .boolean])
        }
        guard let choices = schema.choices, let first = choices.first, choices.allSatisfy({ $0.kind == first.kind })
        else { return false }
        return [.string, .number, .boolean].contains(first.kind)
    }

    // MARK: Views of tables

    private mutating func query(_ object: JSON.Object, at pointer: JSONPointer) -> WrittenQuery? {
        guard let table = reference(object["from"], "from", at: pointer) else { return nil }
        var query = WrittenQuery(table: table)
        query.joins = joins(object["join"], at: pointer.appending("join"))
        query.condition = expression(ifThere: object, "where", at: pointer)
        query.sort = sort(object["sort"], at: pointer.appending("sort"))
        if let limit = object["limit"] {
            query.limit = count(limit, at: pointer.appending("limit"), "limit", in: 1...DocumentLimits.rows)
        }
        query.select = expression(ifThere: object, "select", at: pointer)
        query.group = expression(ifThere: object, "by", at: pointer)
        if let search = object["search"] { query.search = self.search(search, at: pointer.appending("search")) }
        let folds = WrittenQuery.Fold.allCases.filter { object[$0.rawValue] != nil }
        guard let fold = folds.first else {
            if query.group != nil {
                faults.add(
                    "by needs count, sum, min, max or average", at: pointer.appending("by"),
                    allowed: WrittenQuery.Fold.allCases.map(\.rawValue))
            }
            return query
        }
        if folds.count > 1 {
            faults.add("a view computes one value: \(folds[0].rawValue) or \(folds[1].rawValue)", at: pointer)
        }
        for member in ["sort", "limit", "select"] where object[member] != nil {
            faults.add("\(member) is for a list, and \(fold.rawValue) makes one value", at: pointer.appending(member))
        }
        if fold == .count {
            if object["count"] != true {
                faults.add("count is true", at: pointer.appending("count"), allowed: ["true"])
            }
            query.fold = (.count, nil)
        } else {
            query.fold = (fold, expression(object, fold.rawValue, at: pointer))
        }
        return query
    }

    private mutating func search(
        _ json: JSON, at pointer: JSONPointer
    ) -> (index: WrittenName, text: WrittenExpression)? {
        guard let object = object(json, at: pointer, "search") else { return nil }
        refuseOthers(in: object, than: Keywords.search, at: pointer)
        let index = reference(object["index"], "index", at: pointer)
        guard let text = expression(object, "for", at: pointer), let index else { return nil }
        return (index, text)
    }

    private mutating func joins(
        _ json: JSON?, at pointer: JSONPointer
    ) -> [(table: WrittenName, key: WrittenExpression)] {
        guard let json, let object = object(json, at: pointer, "join") else { return [] }
        guard object.count <= DocumentLimits.joins else {
            faults.add("a view joins at most \(DocumentLimits.joins) tables", at: pointer)
            return []
        }
        return object.compactMap { member in
            let place = pointer.appending(member.key)
            return expression(member.value, at: place, "join").map {
                (WrittenName(name: member.key, pointer: place), $0)
            }
        }
    }

    /// Reads expressions of an order, with `-` before one for descending.
    mutating func sort(
        _ json: JSON?, at pointer: JSONPointer
    ) -> [(expression: WrittenExpression, isFalling: Bool)] {
        guard let json else { return [] }
        var elements: [(JSON, JSONPointer)] = [(json, pointer)]
        if case .array = json {
            guard let list = list(json, at: pointer, "sort", limit: DocumentLimits.sortKeys) else { return [] }
            elements = list.enumerated().map { ($1, pointer.appending("\($0)")) }
        }
        return elements.compactMap { element, place in
            var (element, place) = (element, place)
            var isCollated = false
            if case .object(let object) = element {
                refuseOthers(in: object, than: Keywords.sortKey, at: place)
                if let collation = object["collation"], collation != "root" {
                    faults.add("the collation is root", at: place.appending("collation"), allowed: ["root"])
                }
                guard let by = object["by"] else {
                    missing("by", at: place)
                    return nil
                }
                isCollated = object["collation"] == "root"
                (element, place) = (by, place.appending("by"))
            }
            guard let expression = expression(element, at: place, "sort") else { return nil }
            let isFalling = expression.text.hasPrefix("-")
            let text = isFalling ? String(expression.text.dropFirst()) : expression.text
            // The order of texts is that of the keys of the collation.
            return (WrittenExpression(text: isCollated ? "text.order(\(text))" : text, pointer: place), isFalling)
        }
    }
}
