import JSON

extension Pipeline {
    /// The members that make a pipeline.
    static let members = ["stream", "source", "operators"]

    /// Reads the members of an object that make a pipeline: `stream` or `source`, and `operators`.
    init?(_ object: JSON.Object, at place: Reading.Place, _ reading: inout Reading) {
        let source: Source?
        switch (object["stream"], object["source"]) {
        case (let items?, nil): source = Source.items(items, at: place.appending("stream"), &reading)
        case (nil, let given?): source = Source(given, at: place.appending("source"), &reading)
        case (nil, nil):
            reading.note("either \"stream\", an array of items, or \"source\" must be there", at: place, allowed: ["stream", "source"])
            source = nil
        case (_?, _?):
            reading.note("only one of \"stream\" and \"source\" can be there", at: place.appending("source"))
            source = nil
        }
        let operators = Operator.list(object["operators"] ?? [], at: place.appending("operators"), &reading)
        guard let source else { return nil }
        self.init(source: source, operators: operators)
    }

    /// Reads a source that something else is given.
    init?(source value: JSON, at place: Reading.Place, _ reading: inout Reading) {
        guard let source = Source(value, at: place, &reading) else { return nil }
        if case .inline(let pipeline) = source { self = pipeline } else { self.init(source: source, operators: []) }
    }
}

extension Source {
    /// The forms of a source, each an object with this one member.
    static let forms = ["stream", "view", "ref", "input", "source"] + Joining.allCases.map(\.rawValue)

    init?(_ value: JSON, at place: Reading.Place, _ reading: inout Reading) {
        guard place.depth < Limits.nesting else {
            reading.note("sources lie more than \(Limits.nesting) deep within one another", at: place)
            return nil
        }
        var place = place
        place.depth += 1
        guard let object = reading.object(value, at: place, "a source") else { return nil }
        let allowed = reading.allowsInputs ? Self.forms : Self.forms.filter { $0 != "input" }
        if object["stream"] != nil || object["source"] != nil {
            reading.refuseOthers(in: object, than: Pipeline.members, at: place)
            guard let pipeline = Pipeline(object, at: place, &reading) else { return nil }
            self = .inline(pipeline)
            return
        }
        guard object.count == 1, let member = object.first else {
            reading.note(
                "a source is an object with one member that says its form, and this one has \(object.count)", at: place, allowed: allowed)
            return nil
        }
        let inside = place.appending(member.key)
        switch member.key {
        case "view":
            guard let name = reading.string(member.value, at: inside, "a view's name") else { return nil }
            if name.hasPrefix("streams.") {
                reading.note("another stream is named by {\"ref\": \"…\"}, not as a view", at: inside)
            } else if !name.contains(".") {
                reading.note("a view is named by its feature and its own name, as in \"cart.totalPrice\"", at: inside)
            }
            reading.noteView(name, at: inside)
            self = .view(name)
        case "ref":
            guard let id = reading.string(member.value, at: inside, "a stream's id") else { return nil }
            reading.noteReference(to: id, at: inside)
            self = .reference(id)
        case "input":
            guard let name = reading.string(member.value, at: inside, "an input's name") else { return nil }
            if !reading.allowsInputs {
                reading.note("an input is there only for what is tried with streams:test", at: inside)
            }
            reading.noteInput(name, at: inside)
            self = .input(name)
        default:
            guard let joining = Joining(rawValue: member.key) else {
                reading.note("there is no source \"\(member.key)\"", at: inside, allowed: allowed)
                return nil
            }
            guard let sources = Self.joined(member.value, by: joining, at: inside, &reading) else { return nil }
            self = .joined(joining, sources)
        }
    }

    private static func joined(_ value: JSON, by joining: Joining, at place: Reading.Place, _ reading: inout Reading) -> [Pipeline]? {
        guard let elements = reading.array(value, at: place, "what \(joining.rawValue) joins") else { return nil }
        guard (1...Limits.joinedSources).contains(elements.count) else {
            reading.note("\(joining.rawValue) joins 1 to \(Limits.joinedSources) sources, not \(elements.count)", at: place)
            return nil
        }
        let pipelines = elements.enumerated().map { index, element in
            var inside = place.appending(index)
            // Each source is run for each value of the one before.
            if joining == .flatMap, index > 0 { inside.seesOuter = true }
            return Pipeline(source: element, at: inside, &reading)
        }
        let read = pipelines.compactMap { $0 }
        return read.count == elements.count ? read : nil
    }

    static func items(_ value: JSON, at place: Reading.Place, _ reading: inout Reading) -> Source? {
        guard let elements = reading.array(value, at: place, "a stream") else { return nil }
        guard elements.count <= Limits.items else {
            reading.note("a stream has \(Limits.items) items at the most, not \(elements.count)", at: place)
            return nil
        }
        let items = elements.enumerated().map { index, element -> Item? in
            let inside = place.appending(index)
            guard let object = reading.object(element, at: inside, "an item") else { return nil }
            reading.refuseOthers(in: object, than: ["value", "operators"], at: inside)
            if object["value"] == nil { reading.note("the item has no \"value\"; null is one too", at: inside, allowed: ["value"]) }
            let operators = Operator.list(object["operators"] ?? [], at: inside.appending("operators"), &reading)
            return object["value"].map { Item(value: $0, operators: operators) }
        }
        let read = items.compactMap { $0 }
        return read.count == elements.count ? .items(read) : nil
    }
}
