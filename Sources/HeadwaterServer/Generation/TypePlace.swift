import JSON

/// The place of a type in the features, from which it gets a name if it has none of its own.
struct TypePlace {
    private let feature: String
    private let words: [String]
    /// True if the words begin with the name of a type, and not with a view or an action.
    private let isWithinType: Bool
    /// The type's own name, of the document or of Swift; nil for none.
    let title: String?
    /// True within the input of an action.
    let isInput: Bool

    /// The place of a view or an action.
    init(_ feature: String, _ name: String) {
        self.init(Self.word(feature), [Self.word(name)])
    }

    private init(
        _ feature: String, _ words: [String], isWithinType: Bool = false, _ title: String? = nil, isInput: Bool = false
    ) {
        (self.feature, self.words, self.isWithinType) = (feature, words, isWithinType)
        (self.title, self.isInput) = (title, isInput)
    }

    /// The same place among inputs.
    var asInput: TypePlace { TypePlace(feature, words, isWithinType: isWithinType, title, isInput: true) }

    /// Returns a place within this one. The row of an element without a name is called after its table.
    func adding(_ word: String) -> TypePlace {
        let own = word == "row" && words.last == "Entry" ? Array(words.dropLast()) : words
        return TypePlace(feature, own + [Self.word(word)], isWithinType: isWithinType, isInput: isInput)
    }

    /// Returns the place with the title of a schema; without one, the place itself.
    func titled(_ title: JSON?) -> TypePlace {
        guard case .string(let text)? = title, !Self.word(text).isEmpty else { return self }
        return called(Self.word(text))
    }

    /// Returns the place of a type with a name.
    func called(_ name: String) -> TypePlace {
        TypePlace(feature, [name], isWithinType: true, name, isInput: isInput)
    }

    /// Returns the place of the elements of a list. An element of a key and a row is called after its row.
    func ofElement(_ schema: JSON) -> TypePlace {
        guard schema["title"] == nil, case .object(let properties)? = schema["properties"],
            properties.map(\.key) == ["key", "row"]
        else { return adding("Item") }
        if case .string(let title)? = properties["row"]?["title"] { return called(Self.word(title) + "Entry") }
        return adding("Entry")
    }

    /// The same place among outputs: a list of texts is one type for both.
    var asOutput: TypePlace { TypePlace(feature, words, isWithinType: isWithinType, title) }

    /// The name of the type with that of its feature in front.
    var qualified: String {
        let own = words.joined()
        let name = own.hasPrefix(feature) ? own : feature + own
        return isInput && !name.hasSuffix("Input") ? name + "Input" : name
    }

    /// The names that the type may have, the best one first.
    var candidates: [String] {
        let own = words.joined()
        let short = isWithinType ? [own] : []
        let all = (short + [feature + own]).flatMap { name in
            isInput && !name.hasSuffix("Input") ? [name, name + "Input"] : [name]
        }
        return all.map { $0.first?.isNumber == true ? "_" + $0 : $0 }
    }

    /// Returns a name as code has it: its words begin with capital letters.
    static func word(_ text: String) -> String {
        text.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.map { $0.prefix(1).uppercased() + $0.dropFirst() }
            .joined()
    }
}
