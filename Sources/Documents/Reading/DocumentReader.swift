import Expressions
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

extension DocumentReader {
    /// Reads a definition: an expression, or a list of steps.
    mutating func definition(_ name: String, _ json: JSON, at pointer: JSONPointer) -> WrittenDefinition? {
        guard let object = object(json, at: pointer, "the definition \(name)") else { return nil }
        refuseOthers(in: object, than: Keywords.definition, at: pointer)
        guard let form = self.form(of: object, "the definition \(name)", among: ["is", "do"], at: pointer) else {
            return nil
        }
        if Definition.isTaken(name) {
            faults.add("expressions use the name \(name) otherwise", at: pointer)
            return nil
        }
        let parameters = parametersOfDefinition(object["of"], at: pointer.appending("of"))
        guard form == "do" else {
            return expression(object, "is", at: pointer).map {
                WrittenDefinition(name: name, pointer: pointer, parameters: parameters, form: .expression($0))
            }
        }
        actionSteps = 0
        let place = pointer.appending("do")
        let steps = steps(object["do"] ?? .null, at: place, depth: 0)
        if actionSteps > DocumentLimits.actionSteps {
            faults.add(
                "the definition has \(actionSteps) steps; the limit is \(DocumentLimits.actionSteps)", at: place)
        }
        return WrittenDefinition(name: name, pointer: pointer, parameters: parameters, form: .steps(steps))
    }

    private mutating func parametersOfDefinition(
        _ json: JSON?, at pointer: JSONPointer
    ) -> [(name: String, schema: ValueSchema)] {
        guard let json, let object = object(json, at: pointer, "of") else { return [] }
        guard object.count <= DocumentLimits.parameters else {
            faults.add("a definition has at most \(DocumentLimits.parameters) parameters", at: pointer)
            return []
        }
        return object.compactMap { member in
            let place = pointer.appending(member.key)
            guard let name = parameterName(member.key, at: place) else { return nil }
            return (name, schemas.schema(member.value, at: place))
        }
    }

    /// Reads `{"call": NAME, "with": {…}}`.
    mutating func call(_ object: JSON.Object, at pointer: JSONPointer) -> WrittenStep.WrittenStepForm? {
        let name = reference(object["call"], "call", at: pointer)
        var values: [(name: WrittenName, value: WrittenExpression)] = []
        let place = pointer.appending("with")
        if let json = object["with"], let members = self.object(json, at: place, "with") {
            for member in members {
                let place = place.appending(member.key)
                guard let value = expression(member.value, at: place, member.key) else { continue }
                values.append((WrittenName(name: member.key, pointer: place), value))
            }
        }
        return name.map { .call($0, with: values) }
    }
}

extension DocumentReader {
    /// Reads the hooks, which the server keeps: their forms, but not their hosts and secrets.
    mutating func readHooks(_ json: JSON?) {
        let pointer = JSONPointer(["hooks"])
        guard let json, let object = object(json, at: pointer, "hooks") else { return }
        guard object.count <= DocumentLimits.hooks else {
            return faults.add("a document has at most \(DocumentLimits.hooks) hooks", at: pointer)
        }
        for member in object {
            let place = pointer.appending(member.key)
            guard name(.string(member.key), at: place, "hook") != nil,
                let hook = self.object(member.value, at: place, "the hook \(member.key)")
            else { continue }
            refuseOthers(in: hook, than: Keywords.hook, at: place)
            readSource(hook["source"], at: place.appending("source"))
            for text in ["url", "secret"] {
                guard let value = hook[text] else {
                    missing(text, at: place)
                    continue
                }
                if case .string = value { continue }
                faults.add("\(text) is a text", at: place.appending(text))
            }
            if let secret = hook["secret"], case .string = secret {
                _ = name(secret, at: place.appending("secret"), "secret")
            }
        }
    }

    private mutating func readSource(_ json: JSON?, at pointer: JSONPointer) {
        guard let json else { return missing("source", at: JSONPointer(pointer.tokens.dropLast())) }
        guard let source = object(json, at: pointer, "source") else { return }
        refuseOthers(in: source, than: Keywords.hookSource, at: pointer)
        guard let form = form(of: source, "source", among: Keywords.hookSource, at: pointer) else { return }
        let place = pointer.appending(form)
        guard form == "changes" else {
            if case .string? = source["view"] { return }
            return faults.add("view is the name of a view, such as cart.totalPrice", at: place)
        }
        guard let patterns = list(source["changes"] ?? .null, at: place, "changes", limit: DocumentLimits.patterns)
        else { return }
        if patterns.isEmpty { faults.add("changes names at least one action", at: place) }
        for (index, pattern) in patterns.enumerated() {
            if case .string = pattern { continue }
            faults.add("a pattern is a text, such as cart/add or cart/*", at: place.appending("\(index)"))
        }
    }
}

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

extension DocumentReader {
    /// Reads a schedule.
    mutating func schedule(_ name: String, _ json: JSON, at pointer: JSONPointer) -> WrittenSchedule? {
        guard let object = object(json, at: pointer, "the schedule \(name)") else { return nil }
        guard let member = form(of: object, "the schedule \(name)", among: ["for", "every", "cron"], at: pointer) else {
            return nil
        }
        let form: WrittenSchedule.WrittenScheduleForm?
        switch member {
        case "for":
            refuseOthers(in: object, than: Keywords.rowSchedule, at: pointer)
            let target = reference(object["for"], "for", at: pointer)
            let at = expression(object, "at", at: pointer)
            form = if let target, let at { .rows(target, at: at) } else { nil }
        case "every":
            refuseOthers(in: object, than: Keywords.everySchedule, at: pointer)
            let isExact = truth(object["exact"], at: pointer.appending("exact"), "exact", false)
            form = object["every"].flatMap {
                count($0, at: pointer.appending("every"), "every", in: leastPeriod...DocumentLimits.afterSeconds)
            }.map { .recurring(.period(seconds: Int64($0), isExact: isExact)) }
        default:
            refuseOthers(in: object, than: Keywords.calendarSchedule, at: pointer)
            let calendar = object["cron"].flatMap { cron($0, at: pointer.appending("cron")) }
            let clock = zone(object["zone"] ?? "UTC", at: pointer.appending("zone"))
            form = if let calendar, let clock { .recurring(.calendar(calendar, clock)) } else { nil }
        }
        guard let action = reference(object["act"], "act", at: pointer), let form else { return nil }
        var schedule = WrittenSchedule(name: name, pointer: pointer, form: form, action: action)
        schedule.input = expression(ifThere: object, "input", at: pointer)
        switch object["missed"] {
        case nil, "once"?: break
        case "skip"?: schedule.skipsMissed = true
        default: faults.add("missed is once or skip", at: pointer.appending("missed"), allowed: ["once", "skip"])
        }
        return schedule
    }

    private mutating func cron(_ json: JSON, at pointer: JSONPointer) -> CronCalendar? {
        guard let text = text(json, at: pointer, "cron") else { return nil }
        do throws(CronReader.CronFault) {
            return try CronReader.calendar(text)
        } catch {
            faults.add(error.description, at: pointer)
            return nil
        }
    }

    private mutating func zone(_ json: JSON, at pointer: JSONPointer) -> ZoneClock? {
        guard let name = text(json, at: pointer, "zone") else { return nil }
        if let clock = ZoneClock(name) { return clock }
        faults.add(
            "there is no time zone \"\(name.prefix(64))\"; use a name of the time zone database, such as Europe/Paris, or an offset such as +02:00",
            at: pointer)
        return nil
    }

    /// Reads the rules of the feature.
    mutating func rules(_ json: JSON?, at pointer: JSONPointer) -> WrittenRules {
        var rules = WrittenRules()
        guard let json, let object = object(json, at: pointer, "allow") else { return rules }
        refuseOthers(in: object, than: Keywords.rules, at: pointer)
        rules.read = expression(ifThere: object, "read", at: pointer)
        rules.act = expression(ifThere: object, "act", at: pointer)
        rules.edit = expression(ifThere: object, "edit", at: pointer)
        return rules
    }
}
