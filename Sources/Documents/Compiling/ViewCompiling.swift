import Expressions
import JSON
import Schemas
import StateStore

/// The compiler of the views of one document.
struct ViewCompiler {
    private let feature: String
    private let state: [WrittenState]
    private let types: StateTypes
    /// The types of the views that others may read: those without required parameters.
    private var viewTypes: [(name: String, type: ExpressionType)]
    private var formulas = FormulaCompiler()
    private let readRule: WrittenExpression?
    private let faulty: FaultyParts
    /// The claims that the rules of given features read, by the feature.
    private let givenRules: [String: ClaimSet]
    /// The rule of all views; nil without one.
    private(set) var readRuleOfAll: ExpressionView?
    /// The views that are pipelines, by name.
    private let pipelines: [String: PipelineView]
    private var planner = QueryPlanner()
    /// The rules of the views.
    private(set) var ruleFormulas: [CompiledFormula] = []

    init(
        _ document: FeatureDocument, _ types: StateTypes, _ faulty: FaultyParts, _ pipelines: [String: PipelineView],
        givenRules: [String: ClaimSet]
    ) {
        self.givenRules = givenRules
        (self.faulty, self.pipelines) = (faulty, pipelines)
        (feature, state, self.types) = (document.name, document.state, types)
        readRule = document.rules.read
        let known = document.views.filter { !$0.needsParameters }.map(\.name)
        viewTypes = (known + faulty.names(in: "views").subtracting(known).sorted()).map { ($0, .dyn) }
    }

    /// Compiles the views, each after those that it reads, whose types it then knows.
    mutating func views(_ parts: [WrittenView], _ faults: inout FaultList) -> [CompiledView] {
        // The first pass finds the faults, and what each view reads.
        let sound = parts.filter { !faulty.contains($0.name, in: "views") }
        let compiled = sound.compactMap { view($0) }
        guard formulas.faults.all.isEmpty, faulty.names(in: "views").isEmpty, compiled.count == parts.count else {
            return refuse(sound, &faults)
        }
        guard compiled.contains(where: { !$0.reads.isEmpty }) else { return ruled(compiled, &faults) }
        var byName: [String: CompiledView] = [:]
        var waiting = compiled
        while !waiting.isEmpty {
            let ready = waiting.filter { $0.reads.allSatisfy { byName[$0] != nil } }
            guard !ready.isEmpty else {
                for view in waiting {
                    faults.add("the view \(view.part.name) reads itself by way of others", at: view.part.pointer)
                }
                return refuse(sound, &faults)
            }
            for view in ready {
                guard let typed = self.view(view.part) else { continue }
                byName[view.part.name] = typed
                if let place = viewTypes.firstIndex(where: { $0.name == view.part.name }) {
                    viewTypes[place].type = typed.type
                }
            }
            waiting.removeAll { view in ready.contains { $0.part.name == view.part.name } }
            guard formulas.faults.all.isEmpty else { return refuse(sound, &faults) }
        }
        return ruled(parts.compactMap { byName[$0.name] }, &faults)
    }

    /// Notes the faults so far and those of the rules.
    private mutating func refuse(_ parts: [WrittenView], _ faults: inout FaultList) -> [CompiledView] {
        _ = rules(parts)
        for fault in formulas.faults.all { faults.add(fault) }
        return []
    }

    /// Adds to each view its rules, that of the feature, and those of the views that it reads.
    private mutating func ruled(_ views: [CompiledView], _ faults: inout FaultList) -> [CompiledView] {
        let (own, common) = rules(views.map(\.part))
        readRuleOfAll = common
        for fault in formulas.faults.all { faults.add(fault) }
        let byName = Dictionary(views.map { ($0.part.name, $0) }, uniquingKeysWith: { first, _ in first })
        return views.map { view in
            var rule = ViewRule()
            if let common { rule.add(common, parameters: nil) }
            if let expression = own[view.part.name] { rule.add(expression, parameters: nil) }
            var (given, hiddenPlaces) = (view.given, view.hiddenPlaces)
            var waiting = Array(view.reads)
            var seen = view.reads
            while let name = waiting.popLast(), let read = byName[name] {
                if read.claims != nil {
                    faults.add(
                        "\(view.part.name) cannot read \(name), which depends on its reader", at: view.part.pointer)
                }
                if let expression = own[name] {
                    for parameters in view.parameters(of: read) { rule.add(expression, parameters: parameters) }
                }
                given.formUnion(read.given)
                hiddenPlaces.formUnion(read.hiddenPlaces)
                if case .pipeline(let pipeline) = read.form {
                    for (name, claims) in pipeline.ruled { rule.add(rulesOf: name, reading: claims) }
                }
                for next in read.reads where seen.insert(next).inserted { waiting.append(next) }
            }
            for name in given.sorted() {
                if let claims = givenRules[name] { rule.add(ruleOfFeature: name, reading: claims) }
            }
            var ruled = view
            ruled.hiddenPlaces = hiddenPlaces
            if seen.contains(where: { byName[$0]?.isKept == false }) { ruled.isKept = false }
            if seen.contains(where: { byName[$0]?.readsTime == true }) { ruled.readsTime = true }
            if seen.contains(where: { byName[$0]?.showsPrivate == true }) { ruled.showsPrivate = true }
            if case .pipeline(let pipeline) = view.form {
                for (name, claims) in pipeline.ruled { rule.add(rulesOf: name, reading: claims) }
                if pipeline.remembers, ruled.readsTime {
                    faults.add(
                        "a source reads the time, so nothing can remember its values: a tick is no commit",
                        at: view.part.pointer.appending("source"))
                }
                if pipeline.remembers, !ruled.isKept {
                    faults.add(
                        "a source derives from what is in memory only, so nothing can remember its values",
                        at: view.part.pointer.appending("source"))
                }
            }
            ruled.rule = rule.isEmpty ? nil : rule
            return ruled
        }
    }

    /// Compiles the rules of views, by name, and that of the feature.
    private mutating func rules(_ parts: [WrittenView]) -> (own: [String: ExpressionView], common: ExpressionView?) {
        var own: [String: ExpressionView] = [:]
        for part in parts {
            guard let rule = part.allow else { continue }
            own[part.name] = self.rule(rule, part)
        }
        return (own, readRule.flatMap { rule($0, nil) })
    }

    /// Compiles a rule of a view, or that of the feature.
    private mutating func rule(_ written: WrittenExpression, _ part: WrittenView?) -> ExpressionView? {
        guard let formula = formulas.formula(written, scope(part?.parameters ?? []), expecting: .bool),
            let views = viewsRead(by: [formula])
        else { return nil }
        ruleFormulas.append(formula)
        return ExpressionView(
            formula, state.map(\.name), views: views.map { ($0, "\(feature).\($0)") }, indexes: types.indexes,
            text: written.text, every: DocumentLimits.grainOfRules)
    }

    /// Returns true if expressions of a view read the time; adds a fault if the view has no grain.
    private mutating func readTime(_ all: [CompiledFormula], _ part: WrittenView) -> Bool {
        guard let first = all.first(where: { $0.reads.contains { $0.name == "now" } }) else { return false }
        if part.every == nil {
            formulas.faults.add(
                "now in a view needs a grain: write \"every\": \"1m\" in the view", at: first.pointer)
        }
        return true
    }

    /// The names of every view.
    private func scope(_ parameters: [WrittenParameter]) -> NameScope {
        let members = parameters.map { ObjectType.TypedMember($0.name, $0.type) }
        return NameScope([
            ("state", types.ownType), ("given", types.givenType), ("input", .object(ObjectType(members))),
            ("space", .string), ("token", ActionCompiler.tokenType), ("now", .timestamp),
        ]).adding(types.indexes).adding(
            "views", .object(ObjectType(viewTypes.map { .init($0.name, $0.type) })), at: NamePlace.views
        )
        .hiding(types.privateParts).defining(types.definitions)
    }

    /// Returns true if expressions read no table whose rows are in memory only. A read of the state as a whole reads all.
    private func isKept(_ all: [CompiledFormula]) -> Bool {
        let isUnkept = types.own.contains { !$0.isKept } || types.given.contains { $0.state.contains { !$0.isKept } }
        guard isUnkept else { return true }
        return all.allSatisfy { formula in
            formula.reads.allSatisfy { read in
                (read.name != "state" && read.name != "given") || types.state(read)?.state.isKept ?? false
            }
        }
    }

    /// The claims that expressions of a view read; a fault if one reads all of them.
    private mutating func claims(of all: [CompiledFormula]) -> ClaimSet? {
        let claims = ClaimSet.read(by: all)
        if claims == .all, let first = all.first(where: { $0.reads.contains { $0.name == "token" } }) {
            formulas.faults.add("name the claim that the view reads, as in token.sub", at: first.pointer)
        }
        return claims
    }

    private mutating func view(_ part: WrittenView) -> CompiledView? {
        switch part.form {
        case .expression(let written):
            guard let formula = formulas.formula(written, scope(part.parameters)) else { return nil }
            guard let views = viewsRead(by: [formula]) else { return nil }
            let hidden = part.showsPrivate ? HiddenParts() : HiddenParts(of: types, from: [formula])
            let view = ExpressionView(
                formula, state.map(\.name), views: views.map { ($0, "\(feature).\($0)") }, indexes: types.indexes,
                every: part.every, hiding: hidden)
            return CompiledView(
                part: part, form: .expression(view), type: formula.type, isList: false, reads: Set(views),
                readsSpaceName: formula.reads.contains { $0.name == "space" }, isKept: isKept([formula]),
                readsTime: readTime([formula], part),
                showsPrivate: part.showsPrivate || scope(part.parameters).privateParts.areNamed(by: [formula]),
                claims: claims(of: [formula]), given: given(by: [formula]),
                hiddenPlaces: hidden.places(of: feature).filter { readsPlace($0, [formula]) })
        case .query(let query): return self.query(query, part)
        case .pipeline:
            // One that is not there has faults.
            return pipelines[part.name].map { view in
                CompiledView(
                    part: part, form: .pipeline(view), type: .dyn, isList: false, reads: Set(view.own.map(\.label)),
                    readsSpaceName: false, isKept: view.isKept, readsTime: view.readsTime,
                    showsPrivate: view.showsPrivate, claims: nil,
                    hiddenPlaces: view.hiddenPlaces)
            }
        }
    }

    /// The views of this feature that formulas read; nil with a fault if one reads all of them as a whole.
    private mutating func viewsRead(by all: [CompiledFormula]) -> [String]? {
        var names: [String] = []
        for formula in all {
            for read in formula.reads where read.name == "views" {
                guard case .member(let name)? = read.steps.first else {
                    formulas.faults.add(
                        "name the view, as in views.\(viewTypes.first?.name ?? "count")", at: formula.pointer)
                    return nil
                }
                if !names.contains(name) { names.append(name) }
            }
        }
        return names
    }

    // MARK: Views of tables

    private mutating func query(_ query: WrittenQuery, _ part: WrittenView) -> CompiledView? {
        let source = table(query.table, in: "from")
        let place = NamePlace.self
        let scope = scope(part.parameters)
            .adding("row", source?.type ?? .dyn, at: place.row, hiding: source?.privateParts ?? .none)
            .adding("key", .string, at: place.key)
        var joins: [TableQuery.QueryJoin] = []
        var members: [ObjectType.TypedMember] = []
        var joinedParts: [String: PrivateParts] = [:]
        for (name, key) in query.joins {
            let other = table(name, in: "join")
            let key = formulas.formula(key, scope, expecting: .string)
            let label = name.name.split(separator: ".").last.map(String.init) ?? name.name
            if members.contains(where: { $0.name == label }) {
                formulas.faults.add("joined.\(label) is there twice", at: name.pointer)
            }
            members.append(.init(label, (other?.type ?? .dyn).orNull))
            joinedParts[label] = other?.privateParts
            if let other, let key { joins.append(.init(name: label, source: other.source, key: key)) }
        }
        let inner = scope.adding(
            "joined", .object(ObjectType(members)), at: place.joined, hiding: PrivateParts(members: joinedParts))
        let condition = query.condition.flatMap { formulas.formula($0, inner, expecting: .bool) }
        let search = query.search.flatMap { self.search($0, query.table, self.scope(part.parameters)) }
        let selected = inner.assuming(query.condition)
        let sort = query.sort.compactMap { key in
            formulas.formula(key.expression, selected).map { (formula: $0, isFalling: key.isFalling) }
        }
        for key in sort where !key.formula.type.isSortable {
            formulas.faults.add("sort cannot order \(key.formula.type)", at: key.formula.pointer)
        }
        let select = query.select.flatMap { formulas.formula($0, selected) }
        let fold = query.fold.map { fold in
            TableQuery.Folding(
                form: fold.form, value: fold.value.flatMap { formulas.formula($0, selected) },
                group: query.group.flatMap { formulas.formula($0, selected) })
        }
        check(fold)
        let all =
            joins.map(\.key) + [condition, select, fold?.value, fold?.group].compactMap(\.self)
            + sort.map(\.formula) + (search.map { [$0.text] + fields(of: $0.index, inner) } ?? [])
        let readsTime = readTime(all, part)
        guard let views = viewsRead(by: all), var beside = beside(all, views), let source,
            joins.count == query.joins.count, sort.count == query.sort.count,
            (search == nil) == (query.search == nil)
        else { return nil }
        if readsTime, let every = part.every { beside.append(.time(every: every)) }
        let named = part.showsPrivate ? [:] : inner.privateParts.hidden(from: all)
        let hidden = part.showsPrivate ? HiddenParts() : HiddenParts(of: types, from: all)
        var hiddenPlaces = hidden.places(of: feature).filter { readsPlace($0, all) }
        if select == nil && fold == nil || named.areWithin("row", readBy: all) {
            hiddenPlaces.formUnion(places(of: named["row"] ?? .none, in: source.source))
        }
        if named.areWithin("joined", readBy: all) {
            for join in joins {
                hiddenPlaces.formUnion(places(of: (named["joined"] ?? .none)[join.name], in: join.source))
            }
        }
        let isPersonal = all.contains { $0.reads.contains { $0.name == "token" } }
        let plan = planner.plan(
            query, of: source.source,
            StateType(label: query.table.name, isTable: true, type: source.type, privateParts: source.privateParts),
            types, isShared: isPersonal || !part.parameters.isEmpty, in: self.scope(part.parameters))
        let order =
            search == nil || query.limit == nil || !joins.isEmpty || fold != nil
            ? nil
            : planner.order(
                query, of: source.source,
                StateType(
                    label: query.table.name, isTable: true, type: source.type, privateParts: source.privateParts),
                types)
        let type =
            fold.map(Self.type)
            ?? .list(
                select?.type ?? .object(ObjectType([.init("key", .string), .init("row", source.type)])))
        return CompiledView(
            part: part,
            form: .query(
                TableQuery(
                    source.source, joins: joins, condition: condition, sort: sort, limit: query.limit, select: select,
                    fold: fold, beside: beside, search: search, order: order, plan: plan,
                    hiding: hidden,
                    (row: named["row"] ?? .none, joined: named["joined"] ?? .none))), type: type, isList: fold == nil,
            reads: Set(views),
            readsSpaceName: all.contains { $0.reads.contains { $0.name == "space" } },
            isKept: isKept(all) && isKept([query.table] + query.joins.map(\.table)), readsTime: readsTime,
            showsPrivate: part.showsPrivate || inner.privateParts.areNamed(by: all), claims: claims(of: all),
            given: given(by: all, [source.source] + joins.map(\.source)), hiddenPlaces: hiddenPlaces)
    }

    /// Compiles what a view looks for in a full-text index; nil with a fault.
    private mutating func search(
        _ written: (index: WrittenName, text: WrittenExpression), _ table: WrittenName, _ scope: NameScope
    ) -> (index: CompiledSearch, text: CompiledFormula)? {
        let text = formulas.formula(written.text, scope)
        if let text, ![.string, .dyn, .null].contains(text.type.withoutNull) {
            formulas.faults.add("for takes a text, not \(text.type)", at: text.pointer)
        }
        let own = types.searches.filter { state[$0.table].name == table.name }
        guard let index = own.first(where: { $0.name == written.index.name }) else {
            formulas.faults.unknown("full-text index", written.index.name, own.map(\.name), at: written.index.pointer)
            return nil
        }
        return text.map { (index, $0) }
    }

    /// The expressions of a full-text index in the scope of a view: the view counts as one that names what they name.
    private mutating func fields(of search: CompiledSearch, _ scope: NameScope) -> [CompiledFormula] {
        search.fields.compactMap { field in
            formulas.formula(WrittenExpression(text: field.expression.source, pointer: field.pointer), scope)
        }
    }

    /// The given features that expressions and tables read.
    private func given(by all: [CompiledFormula], _ sources: [TableQuery.Source] = []) -> Set<String> {
        var names: Set<String> = []
        for read in all.flatMap(\.reads) where read.name == "given" {
            if case .member(let name)? = read.steps.first {
                names.insert(name)
            } else {
                names.formUnion(types.given.map(\.feature))
            }
        }
        for case .given(let feature, _) in sources { names.insert(feature) }
        return names
    }

    /// Returns true if expressions read a value with a private place of the state, which begins with `feature.variable`.
    private func readsPlace(_ place: String, _ all: [CompiledFormula]) -> Bool {
        let parts = types.privateParts.hidden(from: all)
        return all.flatMap(\.reads).contains { read in
            guard let parts = parts[read.name], parts.areWithin(read) else { return false }
            guard let (feature, state) = types.state(read) else { return true }
            return place.hasPrefix("\(feature ?? self.feature).\(state.label)/")
                || place == "\(feature ?? self.feature).\(state.label)"
        }
    }

    /// The private places of the rows of a table.
    private func places(of parts: PrivateParts, in source: TableQuery.Source) -> Set<String> {
        let table: String
        switch source {
        case .own(let index): table = "\(feature).\(state[index].name)"
        case .given(let feature, let label): table = "\(feature).\(label)"
        }
        return Set(parts.places.map { "\(table)\(JSONPointer($0))" })
    }

    /// Returns true if no table of these names has its rows in memory only.
    private func isKept(_ tables: [WrittenName]) -> Bool {
        tables.allSatisfy { table in
            if let own = types.own.first(where: { $0.label == table.name }) { return own.isKept }
            return types.given.allSatisfy { feature, state in
                state.allSatisfy { $0.isKept || table.name != $0.label && table.name != "\(feature).\($0.label)" }
            }
        }
    }

    private mutating func check(_ fold: TableQuery.Folding?) {
        guard let fold else { return }
        if let value = fold.value, fold.form == .sum || fold.form == .average {
            switch value.type.withoutNull {
            case .int, .uint, .double, .decimal, .dyn, .null: break
            default: formulas.faults.add("\(fold.form.rawValue) takes numbers, not \(value.type)", at: value.pointer)
            }
        }
        if let value = fold.value, fold.form == .min || fold.form == .max, !value.type.isSortable {
            formulas.faults.add("\(fold.form.rawValue) cannot order \(value.type)", at: value.pointer)
        }
        if let group = fold.group {
            switch group.type {
            case .string, .int, .bool, .dyn: break
            default: formulas.faults.add("by takes a string, an int or a bool, not \(group.type)", at: group.pointer)
            }
        }
    }

    private static func type(_ fold: TableQuery.Folding) -> ExpressionType {
        let value = fold.value?.type.withoutNull ?? .int
        let type: ExpressionType =
            switch fold.form {
            case .count: .int
            case .sum: value
            case .min, .max: value.orNull
            case .average: (value == .decimal ? ExpressionType.decimal : .double).orNull
            }
        return fold.group == nil ? type : .map(key: .string, value: type.withoutNull)
    }

    /// Returns the table of a name: an own one, or one of a given feature, also as `feature.table`.
    private mutating func table(
        _ name: WrittenName, in member: String
    ) -> (source: TableQuery.Source, type: ExpressionType, privateParts: PrivateParts)? {
        if let index = state.firstIndex(where: { $0.name == name.name }), state[index].stateType.isTable {
            let type = state[index].stateType
            return (.own(index), type.type, type.privateParts)
        }
        var found: [(source: TableQuery.Source, type: ExpressionType, privateParts: PrivateParts)] = []
        var names = state.filter { $0.stateType.isTable }.map(\.name)
        for (feature, states) in types.given {
            for state in states where state.isTable {
                names.append("\(feature).\(state.label)")
                if name.name == state.label || name.name == "\(feature).\(state.label)" {
                    found.append((.given(feature: feature, label: state.label), state.type, state.privateParts))
                }
            }
        }
        if found.count == 1 { return found[0] }
        if found.isEmpty {
            formulas.faults.unknown("table", name.name, names, at: name.pointer)
        } else {
            formulas.faults.add("several given features have a table \(name.name)", at: name.pointer, allowed: names)
        }
        return nil
    }

    /// The variables and views that expressions over rows read; nil with a fault if one reads a table.
    private mutating func beside(_ all: [CompiledFormula], _ views: [String]) -> [TableQuery.Beside]? {
        var beside: [TableQuery.Beside] = []
        var known: Set<String> = []
        for formula in all {
            for read in formula.reads where read.name == "state" || read.name == "given" {
                guard let (feature, state) = types.state(read) else {
                    formulas.faults.add("name the variable, as in state.topic", at: formula.pointer)
                    return nil
                }
                guard !state.isTable else {
                    formulas.faults.add(
                        "an expression over rows cannot read the table \(state.label): write a join, as in \"join\": {\"\(state.label)\": \"key\"}",
                        at: formula.pointer)
                    return nil
                }
                guard known.insert("\(feature ?? "").\(state.label)").inserted else { continue }
                if let feature {
                    beside.append(.given(feature: feature, label: state.label))
                } else if let index = self.state.firstIndex(where: { $0.name == state.label }) {
                    beside.append(.own(index, label: state.label))
                }
            }
        }
        return beside + views.map { .view(label: $0, name: "\(feature).\($0)") }
    }
}

extension WrittenView {
    /// True if each request must have parameters.
    var needsParameters: Bool { parameters.contains { $0.isRequired } }

    /// The defaults of the parameters.
    var defaults: JSON {
        var object = JSON.Object()
        for parameter in parameters { object[parameter.name] = parameter.schema.defaultValue }
        return .object(object)
    }
}

extension WrittenParameter {
    /// True if a request must have it.
    var isRequired: Bool { schema.defaultValue == nil }
    var type: ExpressionType { schema.type }
}
