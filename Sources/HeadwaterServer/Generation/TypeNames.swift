import JSON

/// The names of the types of generated code, each given once.
struct TypeNames {
    private var taken = reserved
    private var titles: [[String]: String] = [:]
    private var enumerations: [[String]: String] = [:]
    private var variants: [[TypeModel.VariantBranch]: String] = [:]
    private var records: [[TypeModel.Field]: [(title: String?, name: String)]] = [:]

    /// The names that the code has of its own, in any of the languages.
    private static let reserved: Set<String> = [
        "ActionAnswer", "ActionName", "Actions", "Answer", "Any", "Array", "Bool", "Client", "Codable", "CodingKey",
        "CodingKeys", "Data", "Date", "Decimal", "Decoder", "Decodable", "Dict", "Dictionary", "Double", "EmptyInput",
        "Encodable", "Encoder", "Error", "Exception", "Float", "Foundation", "Function", "Generic", "Hashable", "Int",
        "InputOf", "JSON", "JSONDecoder", "JSONEncoder", "JSONValue", "Json", "List", "Literal", "Map", "Mapping",
        "Never", "None", "NotRequired", "Number", "Object", "Optional", "Options", "Parameters", "Performed", "Pick",
        "Promise", "Protocol", "RawRepresentable", "ReadonlyArray", "Record", "Refused", "Rest", "Result", "Self",
        "Sendable", "Set", "String", "Symbol", "Type", "TypedClient", "TypedDict", "TypeVar", "URL", "URLComponents",
        "URLQueryItem", "Union", "Value", "View", "ViewName", "Views", "Void",
    ]

    /// Notes the titles of the enumerations in a description, for the places that list the same texts without a title.
    mutating func noteTitles(in json: JSON) {
        switch json {
        case .array(let elements): for element in elements { noteTitles(in: element) }
        case .object(let object):
            if case .string(let title)? = object["title"], case .array(let choices)? = object["enum"] {
                let texts = choices.compactMap { if case .string(let text) = $0 { text } else { nil } }
                let word = TypePlace.word(title)
                if !texts.isEmpty, !word.isEmpty, titles[texts] == nil { titles[texts] = word }
            }
            for member in object { noteTitles(in: member.value) }
        default: break
        }
    }

    /// Returns a new name for a place.
    mutating func unique(_ place: TypePlace) -> String {
        let candidates = place.candidates
        var name = candidates.first { !taken.contains($0) } ?? ""
        var number = 2
        while name.isEmpty {
            let next = (candidates.last ?? "Type") + "\(number)"
            if !taken.contains(next) { name = next }
            number += 1
        }
        taken.insert(name)
        return name
    }

    /// Returns the name of the list of some texts, and true if it is new.
    mutating func enumeration(_ texts: [String], _ place: TypePlace) -> (name: String, isNew: Bool) {
        if let name = enumerations[texts] { return (name, false) }
        let name = unique(titles[texts].map { place.asOutput.called($0) } ?? place)
        enumerations[texts] = name
        return (name, true)
    }

    /// Returns the name of the union of some records, and true if it is new.
    mutating func variant(_ branches: [TypeModel.VariantBranch], _ place: TypePlace) -> (name: String, isNew: Bool) {
        if let name = variants[branches] { return (name, false) }
        let name = unique(place)
        variants[branches] = name
        return (name, true)
    }

    /// Returns the name of the record with some fields, and true if it is new. Two records with titles of their own are
    /// two types, also if their fields are the same.
    mutating func record(_ fields: [TypeModel.Field], _ place: TypePlace) -> (name: String, isNew: Bool) {
        let known = records[fields, default: []].first { $0.title == place.title || place.title == nil }
        if let known { return (known.name, false) }
        let name = unique(place)
        records[fields, default: []].append((place.title, name))
        return (name, true)
    }
}
