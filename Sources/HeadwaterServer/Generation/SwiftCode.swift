import JSON

/// The code of a model in Swift: types, and the names of views and actions with them. It needs Foundation for decimals.
struct SwiftCode {
    let model: TypeModel

    var text: String {
        var lines = [
            "// Made by `headwater generate swift`. Do not edit: generate it again.", "", "import Foundation", "",
            "// With HeadwaterClient the names are those of its views and actions. Without it they give paths and bodies.",
            "#if canImport(HeadwaterClient)", "    import HeadwaterClient", "#endif", "",
            "/// The digest of the actions and views that these types describe.",
            "public let schemaHash = \"\(model.hash)\"", "", "#if !canImport(HeadwaterClient)",
            Self.beginning.split(separator: "\n", omittingEmptySubsequences: false)
                .map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n"), "#endif", "",
        ]
        for enumeration in model.enumerations { lines += declaration(enumeration) }
        for variant in model.variants { lines += declaration(variant) }
        for record in model.records { lines += declaration(record.name, record.fields) }
        for action in model.actions where !action.input.isEmpty { lines += declaration(action.inputName, action.input) }
        var features: [String] = []
        for name in model.views.map(\.feature) + model.actions.map(\.feature) where !features.contains(name) {
            features.append(name)
        }
        for feature in features {
            lines += [
                "/// The views and the actions of the feature \(feature).",
                "public enum \(TypePlace.word(feature))Feature {",
            ]
            lines += model.views.filter { $0.feature == feature }.flatMap(view)
            lines += model.actions.filter { $0.feature == feature }.map { action in
                let input = action.input.isEmpty ? "EmptyInput" : action.inputName
                return
                    "    public static let \(label(action.name, "Action")) = ActionName<\(input), \(type(action.result))>(\"\(feature)/\(action.name)\"\(document(action)))"
            }
            lines += ["}", ""]
        }
        return lines.joined(separator: "\n")
    }

    private func document(_ action: TypeModel.ActionSignature) -> String {
        model.hash(of: action.feature).map { ", document: \(JSON.string($0))" } ?? ""
    }

    private func view(_ view: TypeModel.ViewSignature) -> [String] {
        let name = "\(view.feature).\(view.name)"
        let type = "ViewName<\(type(view.value))>"
        guard !view.parameters.isEmpty else {
            return ["    public static let \(label(view.name, "View")) = \(type)(\"\(name)\")"]
        }
        let parameters = view.parameters.map { field in
            "\(member(field.name)): \(optional(field))" + (field.isRequired ? "" : " = nil")
        }.joined(separator: ", ")
        let values = view.parameters.map { field in
            let isText = if case .enumeration = field.type { true } else { false }
            func pair(_ value: String) -> String {
                "(\(JSON.string(field.name)), \"\\(\(value)\(isText ? ".rawValue" : ""))\")"
            }
            let isOptional = optional(field).hasSuffix("?")
            return isOptional ? "\(member(field.name)).map { \(pair("$0")) }" : pair(member(field.name))
        }.joined(separator: ", ")
        return [
            "    public static func \(label(view.name, "View"))(\(parameters)) -> \(type) {",
            "        let parameters: [(String, String)?] = [\(values)]",
            "        return \(type)(\"\(name)\", parameters.compactMap { $0 })", "    }",
        ]
    }

    /// A view and an action may have one name.
    private func label(_ name: String, _ kind: String) -> String { name + kind }

    private func declaration(_ name: String, _ fields: [TypeModel.Field]) -> [String] {
        var lines = ["public struct \(name): Codable, Hashable, Sendable {"]
        for field in fields {
            lines.append("    public var \(member(field.name)): \(optional(field))")
        }
        let parameters = fields.map { field in
            "\(member(field.name)): \(optional(field))" + standard(field)
        }
        lines += ["", "    public init(\(parameters.joined(separator: ", "))) {"]
        lines += fields.map { "        self.\(member($0.name)) = \(member($0.name))" }
        lines += ["    }", "", "    private enum CodingKeys: String, CodingKey {"]
        lines += fields.map { "        case \(member($0.name)) = \(quoted($0.name))" }
        return lines + ["    }", "}", ""]
    }

    private func optional(_ field: TypeModel.Field) -> String {
        let type = type(field.type)
        return field.isRequired || type.hasSuffix("?") ? type : type + "?"
    }

    /// The default of a parameter of an initializer: nil, or the one value that a member has.
    private func standard(_ field: TypeModel.Field) -> String {
        guard field.isRequired else { return " = nil" }
        if case .constant(.string(let text)) = field.type { return " = \(quoted(text))" }
        return ""
    }

    private func member(_ name: String) -> String {
        let letters = name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }.joined()
        let isTaken = letters.first?.isNumber ?? true || ["Protocol", "Self", "Type", "init", "self"].contains(letters)
        return "`" + (isTaken ? "_" + letters : letters) + "`"
    }

    /// Returns a literal of Swift, whose escapes are not those of JSON.
    private func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where scalar.value < 32 || scalar.value == 127: "\\u{\(String(scalar.value, radix: 16))}"
            default: "\(scalar)"
            }
        }
        return "\"" + escaped.joined() + "\""
    }

    /// Returns names of cases for texts, and one more for all others.
    private func cases(_ texts: [String]) -> (names: [String], unknown: String) {
        var taken: Set<String> = []
        let names = (texts + ["unknown"]).map { text in
            let first = text.isEmpty ? "`none`" : member(text)
            var name = first
            var number = 2
            while !taken.insert(name).inserted {
                name = "`\(first.filter { $0 != "`" })_\(number)`"
                number += 1
            }
            return name
        }
        return (Array(names.dropLast()), names[names.count - 1])
    }

    private func declaration(_ enumeration: TypeModel.Enumeration) -> [String] {
        let (names, unknown) = cases(enumeration.texts)
        let pairs = zip(names, enumeration.texts)
        var lines = ["public enum \(enumeration.name): RawRepresentable, Codable, Hashable, Sendable {"]
        lines += names.map { "    case \($0)" }
        lines += ["    /// A text of a newer server.", "    case \(unknown)(String)", ""]
        lines += ["    public init(rawValue: String) {", "        switch rawValue {"]
        lines += pairs.map { "        case \(quoted($1)): self = .\($0)" }
        lines += ["        default: self = .\(unknown)(rawValue)", "        }", "    }", ""]
        lines += ["    public var rawValue: String {", "        switch self {"]
        lines += pairs.map { "        case .\($0): \(quoted($1))" }
        return lines + ["        case .\(unknown)(let text): text", "        }", "    }", "}", ""]
    }

    private func declaration(_ variant: TypeModel.Variant) -> [String] {
        let (names, unknown) = cases(variant.branches.map(\.value))
        let pairs = zip(names, variant.branches)
        var lines = ["public enum \(variant.name): Codable, Hashable, Sendable {"]
        lines += pairs.map { "    case \($0)(\($1.record))" }
        lines += ["    /// A value of a newer server.", "    case \(unknown)(JSONValue)", ""]
        lines += [
            "    private enum KindKey: String, CodingKey {", "        case kind = \(quoted(variant.member))", "    }",
            "",
            "    public init(from decoder: any Decoder) throws {",
            "        switch try decoder.container(keyedBy: KindKey.self).decode(String.self, forKey: .kind) {",
        ]
        lines += pairs.map { "        case \(quoted($1.value)): self = .\($0)(try \($1.record)(from: decoder))" }
        lines += ["        default: self = .\(unknown)(try JSONValue(from: decoder))", "        }", "    }", ""]
        lines += ["    public func encode(to encoder: any Encoder) throws {", "        switch self {"]
        lines += names.map { "        case .\($0)(let value): try value.encode(to: encoder)" }
        return lines + [
            "        case .\(unknown)(let value): try value.encode(to: encoder)", "        }", "    }", "}", "",
        ]
    }

    private func type(_ form: TypeModel.ValueForm) -> String {
        switch form {
        case .any, .null: return "JSONValue"
        case .boolean: return "Bool"
        case .integer: return "Int"
        case .number: return "Double"
        case .decimal: return "Decimal"
        case .string: return "String"
        case .constant(.string): return "String"
        case .constant, .literals: return "JSONValue"
        case .list(let element): return "[\(type(element))]"
        case .map(let value): return "[String: \(type(value))]"
        case .record(let name), .variant(let name), .enumeration(let name): return name
        case .union(let forms):
            let others = forms.filter { $0 != .null }
            guard others.count == 1, others.count < forms.count else { return "JSONValue" }
            let inner = type(others[0])
            return inner.hasSuffix("?") || inner == "JSONValue" ? inner : inner + "?"
        }
    }

    private static let beginning = """
        /// Any value of JSON.
        public enum JSONValue: Codable, Hashable, Sendable {
            case null, bool(Bool), number(Decimal), string(String), array([JSONValue]), object([String: JSONValue])

            public init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer()
                if value.decodeNil() { self = .null }
                else if let truth = try? value.decode(Bool.self) { self = .bool(truth) }
                else if let number = try? value.decode(Decimal.self) { self = .number(number) }
                else if let text = try? value.decode(String.self) { self = .string(text) }
                else if let elements = try? value.decode([JSONValue].self) { self = .array(elements) }
                else { self = .object(try value.decode([String: JSONValue].self)) }
            }

            public func encode(to encoder: any Encoder) throws {
                var value = encoder.singleValueContainer()
                switch self {
                case .null: try value.encodeNil()
                case .bool(let truth): try value.encode(truth)
                case .number(let number): try value.encode(number)
                case .string(let text): try value.encode(text)
                case .array(let elements): try value.encode(elements)
                case .object(let members): try value.encode(members)
                }
            }
        }

        /// The input of an action without parameters.
        public struct EmptyInput: Codable, Hashable, Sendable {
            public init() {}
        }

        /// The name of a view, with its parameters and the type of its values.
        public struct ViewName<Value: Decodable & Sendable>: Sendable {
            public let name: String
            public let parameters: [(name: String, value: String)]

            public init(_ name: String, _ parameters: [(String, String)] = []) {
                self.name = name
                self.parameters = parameters.map { (name: $0.0, value: $0.1) }
            }

            /// The path of the view in a space, with its query.
            public func path(in space: String) -> String {
                var components = URLComponents()
                components.path = "/v1/spaces/\\(space)/" + name.replacingOccurrences(of: ".", with: "/")
                if !parameters.isEmpty {
                    components.queryItems = parameters.map { URLQueryItem(name: $0.name, value: $0.value) }
                }
                return components.string ?? components.path
            }

            /// Reads a value from the content of an answer.
            public func value(from content: Data) throws -> Value { try JSONDecoder().decode(Value.self, from: content) }
        }

        /// The answer to an action.
        public struct ActionAnswer<Result: Decodable & Sendable>: Decodable, Sendable {
            public let space: String
            public let version: Int
            public let changed: [String]
            public let result: Result?
        }

        /// The name of an action, with the types of its input and its result.
        public struct ActionName<Input: Encodable & Sendable, Result: Decodable & Sendable>: Sendable {
            public let name: String
            /// The definition of the feature for which this file was made.
            public let document: String?

            public init(_ name: String, document: String? = nil) {
                self.name = name
                self.document = document
            }

            /// The header fields of a request. The server answers 409 `/problems/changed-document` if this file is too
            /// old for it.
            public var fields: [String: String] {
                var fields = ["Content-Type": "application/json"]
                if let document { fields["Headwater-Document"] = document }
                return fields
            }

            /// The path of the action in a space.
            public func path(in space: String) -> String { "/v1/spaces/\\(space)/\\(name)" }

            /// The body of a request.
            public func body(_ input: Input) throws -> Data { try JSONEncoder().encode(input) }

            /// Reads the content of an answer.
            public func answer(from content: Data) throws -> ActionAnswer<Result> {
                try JSONDecoder().decode(ActionAnswer<Result>.self, from: content)
            }
        }
        """
}
