import JSON
import StateModel

extension Pipeline {
    /// The members of a pipeline.
    static let members = ["stream", "source", "operators"]

    /// Reads a pipeline from the members `stream` or `source`, and `operators`.
    init?(_ object: JSON.Object, at place: DocumentPlace, _ reader: inout DefinitionReader) {
        let source: PipelineSource?
        switch (object["stream"], object["source"]) {
        case (let items?, nil): source = PipelineSource.items(items, at: place.appending("stream"), &reader)
        case (nil, let given?): source = PipelineSource(given, at: place.appending("source"), &reader)
        case (nil, nil):
            reader.note(
                "either \"stream\", an array of items, or \"source\" must be there", at: place,
                allowed: ["stream", "source"])
            source = nil
        case (_?, _?):
            reader.note("only one of \"stream\" and \"source\" can be there", at: place.appending("source"))
            source = nil
        }
        let operators = Operator.list(object["operators"] ?? [], at: place.appending("operators"), &reader)
        guard let source else { return nil }
        self.init(source: source, operators: operators)
    }

    /// Reads a source that is a parameter or a part of another source.
    init?(source value: JSON, at place: DocumentPlace, _ reader: inout DefinitionReader) {
        guard let source = PipelineSource(value, at: place, &reader) else { return nil }
        if case .inline(let pipeline) = source { self = pipeline } else { self.init(source: source, operators: []) }
    }
}

extension PipelineSource {
    /// The forms of a source. Each is an object with this one member.
    static let forms = ["stream", "view", "ref", "fold", "input", "source"] + Joining.allCases.map(\.rawValue)

    init?(_ value: JSON, at place: DocumentPlace, _ reader: inout DefinitionReader) {
        guard place.depth < StreamLimits.nesting else {
            reader.note("sources are nested more than \(StreamLimits.nesting) deep", at: place)
            return nil
        }
        var place = place
        place.depth += 1
        guard let object = reader.object(value, at: place, "a source") else { return nil }
        let allowed = reader.allowsInputs ? Self.forms : Self.forms.filter { $0 != "input" }
        if object["stream"] != nil || object["source"] != nil {
            reader.refuseOthers(in: object, than: Pipeline.members, at: place)
            guard let pipeline = Pipeline(object, at: place, &reader) else { return nil }
            self = .inline(pipeline)
            return
        }
        if object["view"] != nil, object["parameters"] != nil, object.count == 2 {
            guard let name = Self.view(object, at: place, &reader) else { return nil }
            self = .view(name)
            return
        }
        guard object.count == 1, let member = object.first else {
            reader.note(
                "a source is an object with one member, its form; it has \(object.count)", at: place,
                allowed: allowed)
            return nil
        }
        let inside = place.appending(member.key)
        switch member.key {
        case "view":
            guard let name = Self.view(object, at: place, &reader) else { return nil }
            if reader.pipelines?.contains(name) ?? false {
                reader.noteReference(to: name, at: inside)
                self = .reference(name)
            } else {
                self = .view(name)
            }
        case "ref":
            if reader.pipelines != nil {
                reader.note("the streams of a space are no sources of a view: name a view", at: inside)
            }
            guard let id = reader.string(member.value, at: inside, "a stream's id") else { return nil }
            reader.noteReference(to: id, at: inside)
            self = .reference(id)
        case "fold":
            guard let fold = ChangeFold(member.value, at: inside, &reader) else { return nil }
            self = .changes(fold)
        case "input":
            guard let name = reader.string(member.value, at: inside, "an input's name") else { return nil }
            if !reader.allowsInputs {
                reader.note("only a trial (streams:test) can have inputs", at: inside)
            }
            reader.noteInput(name, at: inside)
            self = .input(name)
        default:
            guard let joining = Joining(rawValue: member.key) else {
                reader.note("there is no source \"\(member.key)\"", at: inside, allowed: allowed)
                return nil
            }
            guard let sources = Self.joined(member.value, by: joining, at: inside, &reader) else { return nil }
            self = .joined(joining, sources)
        }
    }

    /// Reads the name of a view, with its parameters as the name of an instance has them.
    private static func view(
        _ object: JSON.Object, at place: DocumentPlace, _ reader: inout DefinitionReader
    ) -> String? {
        let inside = place.appending("view")
        guard let name = reader.string(object["view"] ?? .null, at: inside, "a view's name") else { return nil }
        if name.hasPrefix("streams.") {
            reader.note("another stream is named by {\"ref\": \"…\"}, not as a view", at: inside)
        } else if !name.contains(".") {
            reader.note("a view is named by its feature and its own name, as in \"cart.totalPrice\"", at: inside)
        } else if name.contains("?") {
            reader.note("the parameters of a view stand in \"parameters\"", at: inside)
        }
        var pairs: [String] = []
        if let parameters = object["parameters"] {
            let inside = place.appending("parameters")
            guard let parameters = reader.object(parameters, at: inside, "the parameters of a view") else { return nil }
            for parameter in parameters {
                guard let text = text(of: parameter.value) else {
                    reader.note(
                        "a parameter is a string, a number or a boolean, not \(parameter.value.kind.words)",
                        at: inside.appending(parameter.key))
                    return nil
                }
                pairs.append("\(QueryText.encoded(parameter.key))=\(QueryText.encoded(text))")
            }
        }
        let instance = pairs.isEmpty ? name : "\(name)?\(pairs.joined(separator: "&"))"
        reader.noteView(instance, at: inside)
        return instance
    }

    private static func text(of parameter: JSON) -> String? {
        switch parameter {
        case .string(let text): text
        case .number(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        default: nil
        }
    }

    private static func joined(
        _ value: JSON, by joining: Joining, at place: DocumentPlace, _ reader: inout DefinitionReader
    ) -> [Pipeline]? {
        guard let elements = reader.array(value, at: place, "the sources of \(joining.rawValue)") else { return nil }
        guard (1...StreamLimits.joinedSources).contains(elements.count) else {
            reader.note(
                "\(joining.rawValue) joins 1 to \(StreamLimits.joinedSources) sources, not \(elements.count)", at: place
            )
            return nil
        }
        let pipelines = elements.enumerated().map { index, element in
            var inside = place.appending(index)
            // Each source runs for each value of the previous one.
            if joining == .flatMap, index > 0 { inside.seesOuter = true }
            return Pipeline(source: element, at: inside, &reader)
        }
        let read = pipelines.compactMap { $0 }
        return read.count == elements.count ? read : nil
    }

    static func items(_ value: JSON, at place: DocumentPlace, _ reader: inout DefinitionReader) -> PipelineSource? {
        guard let elements = reader.array(value, at: place, "a stream") else { return nil }
        guard elements.count <= StreamLimits.items else {
            reader.note("a stream has \(StreamLimits.items) items at most, not \(elements.count)", at: place)
            return nil
        }
        let items = elements.enumerated().map { index, element -> Item? in
            let inside = place.appending(index)
            guard let object = reader.object(element, at: inside, "an item") else { return nil }
            reader.refuseOthers(in: object, than: ["value", "operators"], at: inside)
            if object["value"] == nil {
                reader.note("the item has no \"value\"; null is allowed", at: inside, allowed: ["value"])
            }
            let operators = Operator.list(object["operators"] ?? [], at: inside.appending("operators"), &reader)
            return object["value"].map { Item(value: $0, operators: operators) }
        }
        let read = items.compactMap { $0 }
        return read.count == elements.count ? .items(read) : nil
    }
}
