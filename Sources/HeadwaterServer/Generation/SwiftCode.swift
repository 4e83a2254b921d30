import JSON

/// The code of a model in Swift: types, and the names of views and actions with them. It needs Foundation for decimals.
struct SwiftCode {
    let model: TypeModel

    var text: String {
        var lines = [
            "// Made by `headwater generate swift`. Do not edit: generate it again.", "", "import Foundation", "",
            "/// The digest of the actions and views that these types describe.",
            "public let schemaHash = \"\(model.hash)\"", "", Self.beginning, "",
        ]
        for record in model.records { lines += declaration(record.name, record.fields) }
        for action in model.actions where !action.input.isEmpty { lines += declaration(action.inputName, action.input) }
        var features: [String] = []
        for name in model.views.map(\.feature) + model.actions.map(\.feature) where !features.contains(name) {
            features.append(name)
        }
        for feature in features {
            lines += [
                "/// The views and the actions of the feature \(feature).",
                "public enum \(TypeModel.name(feature))Feature {",
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
            "\(field.name): \(self.type(field.type))" + (field.isRequired ? "" : "? = nil")
        }.joined(separator: ", ")
        let values = view.parameters.map { field in
            field.isRequired
                ? "(\"\(field.name)\", \"\\(\(field.name))\")" : "\(field.name).map { (\"\(field.name)\", \"\\($0)\") }"
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
            "\(member(field.name)): \(optional(field))" + (field.isRequired ? "" : " = nil")
        }
        lines += ["", "    public init(\(parameters.joined(separator: ", "))) {"]
        lines += fields.map { "        self.\(member($0.name)) = \(member($0.name))" }
        lines += ["    }", "", "    private enum CodingKeys: String, CodingKey {"]
        lines += fields.map { "        case \(member($0.name)) = \(JSON.string($0.name))" }
        return lines + ["    }", "}", ""]
    }

    private func optional(_ field: TypeModel.Field) -> String {
        let type = type(field.type)
        return field.isRequired || type.hasSuffix("?") ? type : type + "?"
    }

    private func member(_ name: String) -> String {
        let letters = name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }.joined()
        return "`" + (letters.first?.isNumber ?? true ? "_" + letters : letters) + "`"
    }

    private func type(_ form: TypeModel.ValueForm) -> String {
        switch form {
        case .any, .null: return "JSONValue"
        case .boolean: return "Bool"
        case .integer: return "Int"
        case .number: return "Double"
        case .decimal: return "Decimal"
        case .string: return "String"
        case .literal(let values):
            return values.allSatisfy { if case .string = $0 { true } else { false } } ? "String" : "JSONValue"
        case .list(let element): return "[\(type(element))]"
        case .map(let value): return "[String: \(type(value))]"
        case .record(let name): return name
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
