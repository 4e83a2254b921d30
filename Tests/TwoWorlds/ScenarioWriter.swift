import JSON
import ServiceInProcess

/// A writer of random scenarios: what mia and root do with secrets, what eva defines meanwhile, then all that eva asks.
struct ScenarioWriter {
    /// A stream definition that is there.
    private struct Defined {
        let isOpen: Bool
        let isByEva: Bool
    }

    private var entropy: Entropy
    private let seed: UInt64
    private let hazards: Hazards
    private let standing: Standing
    private var secrets = SecretTable()
    private var steps: [Step] = []
    private var documents: [DocumentPlan] = []
    /// The edition of each document.
    private var editions: [String: Int] = [:]
    /// A number that no two values share.
    private var count = 0
    /// The keys that were written, by space, document and table.
    private var written: [String: Set<String>] = [:]
    private var defined: [String: [String: Defined]] = [:]
    /// The last secret of each private variable, by space and expression.
    private var last: [String: Int] = [:]
    private var opened: [Int] = []
    private var hooks: [(space: String, id: String)] = []
    private var etags: [Int] = []
    private let hidden: String
    private let hiddenGuess: String

    /// A writer for a seed.
    init(seed: UInt64, standing: Standing?, hazards: Hazards) {
        self.seed = seed
        self.hazards = hazards
        entropy = Entropy(seed: seed)
        let standings: [Standing] = [.guest, .guest, .guest, .keeper, .keeper, .reader, .librarian, .stranger]
        let drawn = entropy.one(of: standings)
        self.standing = standing ?? drawn
        // An administrator of `common` sees the hooks of all spaces there.
        let end = self.standing == .librarian ? "a" : "b"
        let first = secrets.add(.string("hid-s\(seed % 10)a"), .string("hid-s\(seed % 10)\(end)"))
        hidden = "<<text \(first)>>"
        hiddenGuess = "<<guess \(first)>>"
    }

    private var spaces: [String] { ["main", "main", "main", "room-1", hidden] }

    // MARK: Course

    /// Returns the scenario.
    mutating func scenario() -> Scenario {
        writeDocuments()
        let hiddenFeature = deployAll()
        for name in ["mia", "root"] {
            for space in ["main", "room-1", hidden] {
                post(.root, space, "safe/admit", #"{"name": "\#(name)"}"#)
            }
        }
        for _ in 0..<10 + entropy.below(10) { actOrDefine(isEarly: true) }
        for index in documents.indices where documents[index].hasEditions { change(documents[index]) }
        let home = standing == .librarian ? "common" : "main"
        if standing.defines(in: home) { for _ in 0..<3 { putHook(isEarly: false, home) } }
        for _ in 0..<6 + entropy.below(8) { actOrDefine(isEarly: false) }
        for document in documents { for view in document.views.prefix(3) { look(document, view) } }
        ask()
        return Scenario(
            seed: seed, standing: standing, secrets: secrets, steps: steps, hiddenFeature: hiddenFeature)
    }

    private mutating func writeDocuments() {
        var writer = DocumentWriter(Entropy(seed: entropy.next()), hazards)
        let names = ["ward", "depot", "rates"].prefix(1 + entropy.below(3))
        for name in names {
            let isCommon = name == "rates" || entropy.isOne(in: 4)
            var rule = ""
            if hazards.contains(.rules), !standing.administers("common"), entropy.isOne(in: 3) {
                rule = "<<text \(newSecret(.word))>>"
            }
            let seeing = standing.administers("common")
            var (secrets, count, random) = (secrets, count, entropy)
            writer.add(name, isCommon: isCommon, secretRule: rule) { [hazards] member in
                guard hazards.contains(.initialValues), [.isPrivate, .laterPrivate].contains(member.secrecy), !seeing
                else { return member.form.initial }
                count += 1
                let pair = member.form.pair(count, &random)
                return .string("<<secret \(secrets.add(pair.0, pair.1))>>")
            }
            (self.secrets, self.count, entropy) = (secrets, count, random)
        }
        documents = writer.documents
    }

    /// Deploys all documents, and one whose name not everybody may know.
    private mutating func deployAll() -> String {
        for document in documents {
            editions[document.name] = 1
            add(.deploy(document, edition: 1))
        }
        guard standing == .stranger else { return "" }
        let number = newSecret(.word)
        let name = "<<text \(number)>>"
        let body = """
            {"feature": "\(name)", "home": "space", "state": {"n": {"value": {"type": "integer"}, "initial": 0}},
             "actions": {"add": {"do": [{"set": "n", "to": "state.n + 1"}]}},
             "views": {"\(name)": {"expression": "state.n"}}}
            """
        send(.root, "PUT /v1/features/{feature}", "PUT /v1/features/\(name)", body)
        post(.mia, "main", "\(name)/add", "{}")
        return name
    }

    /// Puts the second edition of a document.
    private mutating func change(_ document: DocumentPlan) {
        let replacesAll =
            document.posture == .formerlyClosed
            || document.states.contains { $0.members.contains { $0.secrecy == .formerlyPrivate } }
        if replacesAll {
            editions[document.name] = 3
            for space in document.isCommon ? ["common"] : ["main", "room-1", hidden] {
                for action in document.actions where action.input == .value || action.input == .row {
                    guard action.name.hasPrefix("set") || action.name.hasPrefix("put") else { continue }
                    let table = "\(space) \(document.name).\(action.state?.name ?? "")"
                    let keys = action.input == .row ? written[table, default: []].sorted() : [""]
                    for key in keys { perform(action, of: document, in: space, key: key) }
                }
            }
        }
        editions[document.name] = 2
        add(.deploy(document, edition: 2))
    }

    // MARK: Values

    private mutating func newSecret(_ form: MemberForm) -> Int {
        count += 1
        let pair = form.pair(count, &entropy)
        return secrets.add(pair.0, pair.1)
    }

    /// True if eva may not read a member now, so that the worlds have different values. Edition 3 is the first one, after
    /// all was replaced.
    private func varies(_ member: MemberPlan, of document: DocumentPlan, in space: String) -> Bool {
        let edition = editions[document.name] ?? 1
        let home = document.isCommon ? "common" : space
        guard document.isCommon ? standing.readsSomewhere(inCommon: true) : standing.reads(space) else { return true }
        switch member.secrecy {
        case .isPrivate, .laterPrivate: return true
        case .formerlyPrivate: return edition == 1
        case .guarded: return !standing.administers(home)
        case .open:
            let isClosed =
                switch document.posture {
                case .open, .ruled: false
                case .closed, .laterClosed: true
                case .formerlyClosed: edition == 1
                }
            return isClosed && !standing.administers(home)
        }
    }

    private mutating func value(
        of member: MemberPlan, _ document: DocumentPlan, _ space: String, _ place: String, _ key: String
    ) -> JSON {
        if member.path == ["owner"] { return key == "e1" ? "eva" : "mia" }
        count += 1
        guard varies(member, of: document, in: space) else { return member.form.common(count) }
        let place = "\(place) \(key) \(member.path)"
        if hazards.contains(.equalWrites), member.secrecy == .isPrivate, let earlier = last[place], entropy.isOne(in: 4)
        {
            // The first world writes again what it has.
            let (old, new) = (secrets.value(earlier, in: 0), member.form.pair(count, &entropy).1)
            let number = secrets.add(old, new)
            last[place] = number
            return .string("<<secret \(number)>>")
        }
        let pair = member.form.pair(count, &entropy)
        let number = secrets.add(pair.0, pair.1)
        last[place] = number
        return .string("<<secret \(number)>>")
    }

    // MARK: Steps

    @discardableResult
    private mutating func add(_ work: Step.Work) -> Int {
        steps.append(Step(number: steps.count, work: work))
        return steps.count - 1
    }

    @discardableResult
    private mutating func send(_ person: Person, _ road: String, _ line: String, _ body: String = "") -> Int {
        add(.send(Message(by: person, road: road, line: line, body: body)))
    }

    @discardableResult
    private mutating func post(_ person: Person, _ space: String, _ action: String, _ body: String) -> Int {
        send(person, "POST /v1/spaces/{space}/{feature}/{action}", "POST /v1/spaces/\(space)/\(action)", body)
    }

    /// Performs an action of a document with an input of its form.
    private mutating func perform(
        _ action: ActionPlan, of document: DocumentPlan, in space: String, key: String? = nil, by person: Person = .mia
    ) {
        guard let body = body(of: action, document, in: space, key: key, isOpen: person == .eva) else { return }
        post(person, document.isCommon ? "common" : space, "\(document.name)/\(action.name)", body)
    }

    private mutating func body(
        of action: ActionPlan, _ document: DocumentPlan, in space: String, key wanted: String?, isOpen: Bool
    ) -> String? {
        let home = document.isCommon ? "common" : space
        let table = "\(home) \(document.name).\(action.state?.name ?? "")"
        var key = wanted ?? entropy.one(of: DocumentWriter.keys)
        // In a feature that is hidden as a whole, keys are secrets too.
        let isHidden =
            [.closed, .laterClosed].contains(document.posture) && !standing.administers(home)
            || !(document.isCommon || standing.reads(space))
        if wanted == nil, isHidden, action.input == .row, entropy.isOne(in: 5) { key = "<<text \(newSecret(.word))>>" }
        if isOpen { key = wanted ?? "e2" }
        func member(_ member: MemberPlan) -> JSON {
            if isOpen {
                count += 1
                return member.path == ["owner"] ? "eva" : member.form.common(count)
            }
            return value(of: member, document, home, table, key)
        }
        switch action.input {
        case .nothing: return "{}"
        case .key: return (["id": .string(key)] as JSON).text
        case .value: return action.state.map { (["value": $0.value(member)] as JSON).text }
        case .row:
            written[table, default: []].insert(key)
            return action.state.map { (["id": .string(key), "row": $0.value(member)] as JSON).text }
        }
    }

    /// Mia reads a view, so that its tag can be guessed.
    private mutating func look(_ document: DocumentPlan, _ view: ViewPlan) {
        let query = view.query.isEmpty ? "" : "?\(view.query)"
        etags.append(
            send(
                .mia, "GET /v1/spaces/{space}/{feature}/{view}",
                "GET /v1/spaces/main/\(document.name)/\(view.name)\(query)"))
    }

    private mutating func actOrDefine(isEarly: Bool) {
        let space = entropy.one(of: spaces)
        switch entropy.below(20) {
        case 0...8:
            guard let document = anyDocument() else { return }
            perform(entropy.one(of: document.actions), of: document, in: space)
        case 9:
            fillSafe(space)
        case 10:
            let number =
                standing.reads(space) && standing.administers(space)
                ? "\(count + 3)" : "\"<<secret \(newSecret(.integer))>>\""
            count += 1
            post(.mia, space, "cellar/store", #"{"bottles": \#(number)}"#)
        case 11: post(.mia, space, "kitchen/cook", "{}")
        case 12, 13: defineStream(by: .mia, in: space)
        case 14, 15:
            let home = standing == .librarian ? "common" : "main"
            if standing.defines(in: home) { defineStream(by: .eva, in: home) }
        case 16: redefine(in: "main")
        case 17: putHook(isEarly: isEarly, space)
        case 18:
            add(.advance(milliseconds: 500 * (1 + entropy.below(12))))
            if entropy.isOne(in: 3) { add(.answerDeliveries(status: entropy.isOne(in: 4) ? 500 : 204)) }
        default: rootActs(space)
        }
        if !isEarly, entropy.isOne(in: 3) { evaActs() }
    }

    private mutating func anyDocument() -> DocumentPlan? {
        documents.isEmpty ? nil : entropy.one(of: documents)
    }

    private mutating func fillSafe(_ space: String) {
        let isOpen = standing.administers(space)
        let text = isOpen ? "\"c\(count)\"" : "\"<<secret \(newSecret(.word))>>\""
        count += 1
        post(
            .mia, space, "safe/fill",
            #"{"id": "\#(entropy.one(of: DocumentWriter.keys))", "text": \#(text), "pin": "<<secret \#(newSecret(.word))>>"}"#
        )
    }

    private mutating func rootActs(_ space: String) {
        switch entropy.below(3) {
        case 0:
            guard let document = anyDocument(), let table = document.tables.first else { return }
            let body: JSON = [
                "table": .string("\(document.name).\(table.name)"),
                "key": .string(entropy.one(of: DocumentWriter.keys)),
            ]
            let home = document.isCommon ? "common" : space
            send(.root, "POST /v1/spaces/{space}/erase", "POST /v1/spaces/\(home)/erase", body.text)
        case 1 where hazards.contains(.equalWrites):
            // A return to an earlier state tells whether it differs from the present one.
            send(
                .root, "POST /v1/spaces/{space}/restore", "POST /v1/spaces/\(space)/restore",
                #"{"version": \#(1 + entropy.below(4))}"#)
        default: break
        }
    }

    private mutating func evaActs() {
        let open = documents.filter { !$0.hasEditions && standing.acts(in: $0.isCommon ? "common" : "main") }
        guard !open.isEmpty else { return }
        let document = entropy.one(of: open)
        let mine = document.actions.filter(\.isForEva)
        perform(entropy.one(of: mine), of: document, in: "main", by: .eva)
    }

    // MARK: Streams

    private mutating func defineStream(by person: Person, in space: String) {
        let id = (person == .eva ? "e" : "m") + "\(entropy.below(4))"
        let (definition, isOpen) = self.definition(by: person, in: space)
        guard defined[space]?[id] == nil else { return }
        put(definition, id, by: person, in: space)
        defined[space, default: [:]][id] = Defined(isOpen: isOpen, isByEva: person == .eva)
    }

    private mutating func put(_ definition: JSON, _ id: String, by person: Person, in space: String) {
        send(
            person, "PUT /v1/spaces/{space}/streams/{id}", "PUT /v1/spaces/\(space)/streams/\(id)", definition.text)
    }

    /// A stream over a guarded view becomes one over an open view, or goes.
    private mutating func redefine(in space: String) {
        guard hazards.contains(.redefinitions), let ids = defined[space]?.keys.sorted(), !ids.isEmpty else { return }
        let id = entropy.one(of: ids)
        guard let old = defined[space]?[id] else { return }
        let person: Person = old.isByEva ? .eva : .mia
        if entropy.isOne(in: 2) {
            put(
                ["name": "open", "source": ["view": "kitchen.meals"], "operators": .array([])], id, by: person,
                in: space)
            defined[space]?[id] = Defined(isOpen: true, isByEva: old.isByEva)
        } else {
            send(
                person, "DELETE /v1/spaces/{space}/streams/{id}", "DELETE /v1/spaces/\(space)/streams/\(id)")
            defined[space]?[id] = nil
        }
    }

    /// Returns a definition, and false if eva may not read what it derives from.
    mutating func definition(by person: Person, in space: String, inputs: Bool = false) -> (JSON, Bool) {
        let (source, isOpen) = self.source(by: person, in: space)
        let isTimed = entropy.isOne(in: 4) && (isOpen || person == .eva && hazards.contains(.timedStreams))
        var writer = DocumentWriter(Entropy(seed: entropy.next()), hazards)
        let operators = writer.operators(isTimed: isTimed, isRun: person == .eva && entropy.isOne(in: 4))
        var object = DocumentWriter.members(["name": "n", "source": source, "operators": .array(operators)])
        // What a stream of an unreadable space is about is a secret too.
        if !standing.reads(space), person != .eva { object["description"] = .string("<<text \(newSecret(.word))>>") }
        return (.object(object), isOpen)
    }

    private mutating func source(by person: Person, in space: String, depth: Int = 0) -> (JSON, Bool) {
        switch entropy.below(depth > 0 ? 7 : 9) {
        case 0...4: return viewSource()
        case 5:
            let writes = documents.filter { !$0.isCommon }.flatMap { document in
                document.actions.filter { $0.state != nil }.map { (document, $0) }
            }
            guard !writes.isEmpty else { return viewSource() }
            let (document, action) = entropy.one(of: writes)
            let name = entropy.isOne(in: 5) ? "safe/fill" : "\(document.name)/\(action.name)"
            let shown = entropy.one(of: [
                "[change.input]", "[change]", "[string(change.input)]", "[int(change.input.pin)]",
                "[int(change.input.value)]", "[change.input.row]", "[change.input.nothing]",
            ])
            return (
                [
                    "fold": [
                        "over": ["changes": [.string(name)]], "initialValue": [],
                        "expression": .string("accumulated + \(shown)"),
                    ]
                ], document.posture == .open && name != "safe/fill"
            )
        case 6:
            let ids = defined[space]?.keys.sorted() ?? []
            guard !ids.isEmpty else { return viewSource() }
            let id = entropy.one(of: ids)
            return (["ref": .string(id)], defined[space]?[id]?.isOpen ?? false)
        default:
            let (first, isFirstOpen) = source(by: person, in: space, depth: 1)
            let (second, isSecondOpen) = source(by: person, in: space, depth: 1)
            let joining = entropy.one(of: ["merge", "combineLatest", "zip", "append", "merge"])
            return (.object(JSON.Object().adding(joining, [first, second])), isFirstOpen && isSecondOpen)
        }
    }

    private mutating func viewSource() -> (JSON, Bool) {
        let inSwift: [(JSON, Bool)] = [
            (["view": "safe.content"], false), (["view": "safe.count"], true), (["view": "kitchen.wine"], false),
            (["view": "cellar.bottles"], false), (["view": "safe.item", "parameters": ["name": "k1"]], false),
        ]
        let views = documents.flatMap { document in
            document.views.filter(\.isSource).map { (document, $0) }
        }
        guard !views.isEmpty, !entropy.isOne(in: 5) else { return entropy.one(of: inSwift) }
        let (document, view) = entropy.one(of: views)
        var source = DocumentWriter.members(["view": .string("\(document.name).\(view.name)")])
        if !view.query.isEmpty { source["parameters"] = ["id": "k1"] }
        return (.object(source), !view.isGuarded && !view.isShut)
    }

    // MARK: Hooks

    private mutating func putHook(isEarly: Bool, _ space: String) {
        let isByEva = standing.defines(in: space) && entropy.isOne(in: 2)
        let person: Person = isByEva ? .eva : .mia
        let settled = documents.filter { !$0.hasEditions || !isEarly }
        let views = settled.flatMap { document in
            document.views.filter { $0.isSource && $0.query.isEmpty && ($0.changesAlways || isByEva) }
                .map { "\(document.name).\($0.name)" }
        }
        var source: JSON = ["changes": ["safe/*", "kitchen/*"]]
        if entropy.isOne(in: 2), !settled.isEmpty { source = ["changes": [.string("\(settled[0].name)/*")]] }
        if !entropy.isOne(in: 3) {
            source = ["view": .string(entropy.one(of: views + ["safe.content", "kitchen.wine"]))]
        }
        // The name of a hook in an unreadable space is a secret too.
        let isNamed = standing.reads(space) || standing == .librarian
        let id = isNamed ? "\(person)\(entropy.below(3))" : "<<text \(newSecret(.word))>>"
        let body: JSON = [
            "source": source, "url": .string("http://\(person).example:9000/in"),
            "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ]
        send(
            person, "PUT /v1/spaces/{space}/hooks/{id}", "PUT /v1/spaces/\(space)/hooks/\(id)", body.text)
        hooks.append((space, id))
    }

    // MARK: Questions

    /// Eva asks on every road, while mia goes on with secrets; then mia asks the same.
    private mutating func ask() {
        var names = self.names()
        names.ticket = send(.eva, "POST /v1/tickets", "POST /v1/tickets", "{}")
        var writer = ProbeWriter(Entropy(seed: entropy.next()), names)
        var probes: [ProbeWriter.Probe] = []
        var changes: [ProbeWriter.Probe] = []
        for road in Road.all where road.path.hasPrefix("/") {
            for _ in 0..<road.weight {
                let probe = writer.probe(road)
                if road.changes { changes.append(probe) } else { probes.append(probe) }
            }
        }
        shuffle(&probes)
        shuffle(&changes)
        for probe in probes + changes { ask(probe) }
        closeAll()
        if hazards.contains(.guesses) { guess() }
        // Mia asks the same, what changes the state last.
        for probe in probes + changes {
            var message = probe.message
            message.by = .mia
            message.line = message.line.replacing("access_token=<<token 0>>", with: "_=1")
                .replacing("ticket=<<ticket \(names.ticket)>>", with: "_=1").replacing("<<guess", with: "<<text")
            message.isAnonymous = false
            let number = add(probe.isStream ? .open(message) : .send(message))
            steps[number].isControl = true
            guard probe.isStream else { continue }
            steps[add(.close(number))].isControl = true
        }
    }

    private mutating func shuffle(_ probes: inout [ProbeWriter.Probe]) {
        for index in probes.indices { probes.swapAt(index, index + entropy.below(probes.count - index)) }
    }

    private mutating func ask(_ probe: ProbeWriter.Probe) {
        guard probe.isStream else {
            add(.send(probe.message))
            return
        }
        opened.append(add(.open(probe.message)))
        if opened.count == 6 { closeAll() }
    }

    /// Lets secrets change while the streams are open, then closes them.
    private mutating func closeAll() {
        for _ in 0..<2 {
            guard let document = anyDocument() else { continue }
            perform(entropy.one(of: document.actions), of: document, in: "main")
            if entropy.isOne(in: 2) { fillSafe("main") }
        }
        add(.advance(milliseconds: 2_500))
        add(.answerDeliveries(status: 204))
        post(.mia, "main", "kitchen/cook", "{}")
        add(.advance(milliseconds: 6_000))
        for number in opened { add(.close(number)) }
        opened = []
    }

    private func names() -> ProbeNames {
        var names = ProbeNames()
        names.spaces = (standing == .librarian ? ["common"] : ["main"]) + ["main", "room-1", "common", hiddenGuess]
        names.views = [
            .init(name: "safe.content", query: "", isList: false),
            .init(name: "safe.item", query: "name=k1", isList: false),
            .init(name: "safe.mine", query: "", isList: false), .init(name: "safe.count", query: "", isList: false),
            .init(name: "cellar.bottles", query: "", isList: false),
            .init(name: "kitchen.meals", query: "", isList: false),
            .init(name: "kitchen.wine", query: "", isList: false),
            .init(name: "streams.definitions", query: "", isList: false),
        ]
        names.actions = [
            ("safe/fill", #"{"id": "k1", "text": "x", "pin": "y"}"#), ("safe/knock", "{}"), ("kitchen/cook", "{}"),
            ("cellar/store", #"{"bottles": 1}"#), ("cellar/store", #"{"bottles": "x"}"#),
        ]
        names.tables = ["safe.items"]
        names.features = ["safe", "cellar", "none"]
        var writer = self
        for document in documents {
            names.features.append(document.name)
            names.views += document.views.map {
                .init(name: "\(document.name).\($0.name)", query: $0.query, isList: $0.isList)
            }
            names.tables += document.tables.map { "\(document.name).\($0.name)" }
            if document.hasPresence { names.presences.append("\(document.name).here") }
            for action in document.actions {
                let body = writer.body(of: action, document, in: "main", key: nil, isOpen: true) ?? "{}"
                names.actions.append(("\(document.name)/\(action.name)", body))
            }
            names.documents.append(
                (document.name, Self.guessed(document.json(edition: editions[document.name] ?? 1).text)))
        }
        for _ in 0..<8 {
            let definition = writer.definition(by: .eva, in: "main", inputs: true).0.text
            names.definitions.append(Self.guessed(definition))
        }
        names.streams = defined["main", default: [:]].keys.sorted() + ["e0", "m0"]
        names.hooks = hooks.map { ($0.space == hidden ? hiddenGuess : $0.space, Self.guessed($0.id)) }
        names.tags = etags
        return names
    }

    /// Returns a text as a caller without secrets sends it.
    private static func guessed(_ text: String) -> String {
        text.replacing("<<secret", with: "<<guessed").replacing("<<text", with: "<<guess")
    }

    /// Eva writes what mia has just written, and looks at whether that made a version.
    private mutating func guess() {
        let open = documents.filter { $0.posture == .open && standing.acts(in: $0.isCommon ? "common" : "main") }
        for document in open {
            let home = document.isCommon ? "common" : "main"
            for action in document.actions where action.isForEva && [.value, .row].contains(action.input) {
                guard let state = action.state, action.name.hasPrefix("set") || action.name.hasPrefix("put"),
                    state.members.contains(where: { $0.secrecy == .isPrivate }),
                    let body = body(of: action, document, in: home, key: "k1", isOpen: false)
                else { continue }
                post(.mia, home, "\(document.name)/\(action.name)", body)
                post(.eva, home, "\(document.name)/\(action.name)", Self.guessed(body))
                send(.eva, "GET /v1/spaces/{space}", "GET /v1/spaces/\(home)")
                send(.eva, "GET /v1/spaces/{space}/changes", "GET /v1/spaces/\(home)/changes?since=5")
            }
        }
    }
}
