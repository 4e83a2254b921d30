import JSON
import Schemas
import StateModel

/// The reader of documents. It goes on after a fault, so that one answer lists them all.
struct DocumentReader {
    var faults = FaultList()
    /// The number of expressions so far.
    private var expressions = 0
    var schemas = SchemaReader()
    /// The steps that tests share, by name.
    var fixtures: [(name: String, steps: [PlacedTestStep])] = []
    /// The number of steps of the present action, with those within steps.
    var actionSteps = 0
    /// The least period of a schedule, in seconds.
    private(set) var leastPeriod = 1

    /// Reads a document. Faults are in `faults`; a document with faults must not be compiled.
    mutating func document(_ json: JSON) -> FeatureDocument {
        var document = FeatureDocument()
        let root = JSONPointer()
        guard let object = object(json, at: root, "a feature document") else { return document }
        refuseOthers(in: object, than: Keywords.document, at: root)
        document.name = name(object["feature"], at: root.appending("feature"), "feature") ?? ""
        document.home = home(object["home"], at: root.appending("home"))
        if object["home"] == "space" { leastPeriod = DocumentLimits.periodInSpaces }
        readTypes(object["types"])
        document.given = names(object["given"], at: root.appending("given"), limit: DocumentLimits.given)
        if object["state"] == nil, object["views"] == nil {
            faults.add("a feature has state or views", at: root, allowed: ["state", "views"])
        }
        document.definitions = parts(object["define"], "define", limit: DocumentLimits.definitions) {
            $0.definition($1, $2, at: $3)
        }
        document.state = parts(object["state"], "state", limit: DocumentLimits.state) { $0.state($1, $2, at: $3) }
        document.actions = parts(object["actions"], "actions", limit: DocumentLimits.actions) {
            $0.action($1, $2, at: $3)
        }
        document.views = parts(object["views"], "views", limit: DocumentLimits.views) { $0.view($1, $2, at: $3) }
        document.schedules = parts(object["schedules"], "schedules", limit: DocumentLimits.schedules) {
            $0.schedule($1, $2, at: $3)
        }
        document.rules = rules(object["allow"], at: root.appending("allow"))
        document.drops = names(object["drops"], at: root.appending("drops"), limit: DocumentLimits.expressions, "drops")
        document.replica = parts(object["replica"], "replica", limit: DocumentLimits.state) {
            $0.replica($1, $2, at: $3)
        }
        readHooks(object["hooks"])
        checkNames(of: document)
        readFixtures(object["fixtures"])
        document.tests = tests(object["tests"], at: root.appending("tests"))
        for fault in schemas.faults {
            faults.add(fault.description, at: fault.pointer, allowed: fault.allowed)
        }
        if !schemas.listsFaults { faults.add("the schemas may have further faults", at: root) }
        return document
    }

    private mutating func home(_ json: JSON?, at pointer: JSONPointer) -> Scope {
        switch json {
        case "space"?: return .space
        case "common"?: return .common
        case nil: faults.add("the member \"home\" is missing", at: pointer, allowed: ["space", "common"])
        default: faults.add("home is \"space\" or \"common\"", at: pointer, allowed: ["space", "common"])
        }
        return .space
    }

    private mutating func readTypes(_ json: JSON?) {
        guard let json else { return }
        let pointer = JSONPointer(["types"])
        guard let types = object(json, at: pointer, "types") else { return }
        guard types.count <= DocumentLimits.types else {
            return faults.add("there are more than \(DocumentLimits.types) types", at: pointer)
        }
        for member in types { _ = name(.string(member.key), at: pointer.appending(member.key), "type") }
        schemas = SchemaReader(types: types, at: pointer)
    }

    /// Reads the members of an object of named parts.
    private mutating func parts<Part>(
        _ json: JSON?, _ member: String, limit: Int,
        _ read: (inout DocumentReader, String, JSON, JSONPointer) -> Part?
    ) -> [Part] {
        guard let json else { return [] }
        let pointer = JSONPointer([member])
        guard let object = object(json, at: pointer, member) else { return [] }
        guard object.count <= limit else {
            faults.add("there are \(object.count) \(member); the limit is \(limit)", at: pointer)
            return []
        }
        return object.compactMap { part in
            let place = pointer.appending(part.key)
            guard let name = name(.string(part.key), at: place, member) else { return nil }
            return read(&self, name, part.value, place)
        }
    }

    // MARK: Values

    /// Returns the members of an object, or notes a fault.
    mutating func object(_ json: JSON, at pointer: JSONPointer, _ words: String) -> JSON.Object? {
        if case .object(let object) = json { return object }
        faults.add("\(words) must be an object, not \(json.kind.words)", at: pointer)
        return nil
    }

    mutating func array(_ json: JSON, at pointer: JSONPointer, _ words: String) -> [JSON]? {
        if case .array(let elements) = json { return elements }
        faults.add("\(words) must be a list, not \(json.kind.words)", at: pointer)
        return nil
    }

    mutating func text(_ json: JSON, at pointer: JSONPointer, _ words: String) -> String? {
        if case .string(let text) = json { return text }
        faults.add("\(words) must be a string, not \(json.kind.words)", at: pointer)
        return nil
    }

    mutating func truth(_ json: JSON?, at pointer: JSONPointer, _ words: String, _ fallback: Bool) -> Bool {
        switch json {
        case nil: return fallback
        case .bool(let truth)?: return truth
        case let json?:
            faults.add("\(words) must be true or false, not \(json.kind.words)", at: pointer)
            return fallback
        }
    }

    /// Reads a whole number within a range.
    mutating func count(
        _ json: JSON, at pointer: JSONPointer, _ words: String, in range: ClosedRange<Int>
    ) -> Int? {
        if case .number(let number) = json, let count = number.int64, range.contains(Int(count)) { return Int(count) }
        faults.add("\(words) must be a whole number from \(range.lowerBound) to \(range.upperBound)", at: pointer)
        return nil
    }

    /// Reads a name: a letter, then letters and digits.
    mutating func name(_ json: JSON?, at pointer: JSONPointer, _ words: String) -> String? {
        guard let json else {
            faults.add("the member \"\(words)\" is missing", at: pointer)
            return nil
        }
        guard let name = text(json, at: pointer, "a name") else { return nil }
        if Self.isName(name) { return name }
        faults.add(
            "\"\(name.prefix(64))\" is no name: a name is a letter, then letters and digits, at most \(DocumentLimits.nameLength)",
            at: pointer)
        return nil
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= DocumentLimits.nameLength else { return false }
        func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
        return isLetter(first) && name.utf8.allSatisfy { isLetter($0) || (48...57).contains($0) }
    }

    /// Reads the name of a part elsewhere in the document.
    mutating func reference(_ json: JSON?, _ member: String, at pointer: JSONPointer) -> WrittenName? {
        let place = pointer.appending(member)
        guard let json else {
            missing(member, at: pointer)
            return nil
        }
        return text(json, at: place, member).map { WrittenName(name: $0, pointer: place) }
    }

    private mutating func names(
        _ json: JSON?, at pointer: JSONPointer, limit: Int, _ words: String = "given"
    ) -> [WrittenName] {
        guard let json, let elements = array(json, at: pointer, words) else { return [] }
        guard elements.count <= limit else {
            let what = words == "given" ? "given features" : "names"
            faults.add("there are \(elements.count) \(what); the limit is \(limit)", at: pointer)
            return []
        }
        var names: [WrittenName] = []
        for (index, element) in elements.enumerated() {
            let place = pointer.appending("\(index)")
            guard let name = name(element, at: place, words) else { continue }
            if names.contains(where: { $0.name == name }) {
                faults.add(
                    words == "given" ? "the feature \(name) is in the list twice" : "\(name) is in the list twice",
                    at: place)
            } else {
                names.append(WrittenName(name: name, pointer: place))
            }
        }
        return names
    }

    /// Reads an expression.
    mutating func expression(_ json: JSON, at pointer: JSONPointer, _ words: String) -> WrittenExpression? {
        expressions += 1
        guard expressions <= DocumentLimits.expressions else {
            if expressions == DocumentLimits.expressions + 1 {
                faults.add("there are more than \(DocumentLimits.expressions) expressions", at: JSONPointer())
            }
            return nil
        }
        guard case .string(let text) = json else {
            faults.add(
                "\(words) is an expression in a string, such as \"\(json.brief)\", not \(json.kind.words)", at: pointer)
            return nil
        }
        return WrittenExpression(text: text, pointer: pointer)
    }

    /// Reads an expression that must be there.
    mutating func expression(
        _ object: JSON.Object, _ member: String, at pointer: JSONPointer
    ) -> WrittenExpression? {
        guard let json = object[member] else {
            missing(member, at: pointer)
            return nil
        }
        return expression(json, at: pointer.appending(member), member)
    }

    /// Reads an expression that may be left out.
    mutating func expression(
        ifThere object: JSON.Object, _ member: String, at pointer: JSONPointer
    ) -> WrittenExpression? {
        object[member].flatMap { expression($0, at: pointer.appending(member), member) }
    }

    /// Returns the one of `forms` that is a member of an object; nil with a fault if there is none, or several are.
    mutating func form(
        of object: JSON.Object, _ words: String, among forms: [String], at pointer: JSONPointer
    ) -> String? {
        let found = forms.filter { object[$0] != nil }
        if found.count == 1 { return found[0] }
        let names = forms.map { "\"\($0)\"" }
        faults.add(
            found.isEmpty
                ? "\(words) has \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
                : "\(words) has one of \(found.joined(separator: " and ")) only", at: pointer, allowed: forms)
        return nil
    }

    mutating func missing(_ member: String, at pointer: JSONPointer) {
        faults.add("the member \"\(member)\" is missing", at: pointer.appending(member))
    }

    /// Notes a fault for each member of an object that is not in `known`.
    mutating func refuseOthers(in object: JSON.Object, than known: [String], at pointer: JSONPointer) {
        for member in object where !known.contains(member.key) {
            faults.unknown("member", member.key, known, at: pointer.appending(member.key))
        }
    }
}

extension JSON {
    /// The value as text, shortened to 40 characters.
    fileprivate var brief: String {
        let text = description
        return text.count <= 40 ? text : text.prefix(39) + "…"
    }
}
