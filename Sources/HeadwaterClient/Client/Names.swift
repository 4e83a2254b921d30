import Foundation
public import JSON

/// Any value of JSON, as generated code names it.
public typealias JSONValue = JSON

/// The input of an action without parameters.
public struct EmptyInput: Codable, Hashable, Sendable {
    /// The input.
    public init() {}
}

/// The name of a view, with its parameters and the type of its values. `headwater generate swift` makes these for
/// documents.
public struct ViewName<Value: Sendable>: Sendable {
    /// The feature and the view: `board.cards`.
    public let name: String
    /// The parameters.
    public let parameters: [(name: String, value: String)]
    let read: @Sendable (JSON) throws -> Value

    /// A view whose values are read from JSON directly.
    public init(_ name: String, _ parameters: [(String, String)] = []) where Value: JSONReadable {
        self.init(name, parameters) { json in try Value(parsing: json.bytes, depth: JSONReader.greatestDepthLimit) }
    }

    /// A view whose values are read by a decoder.
    @_disfavoredOverload
    public init(_ name: String, _ parameters: [(String, String)] = []) where Value: Decodable {
        self.init(name, parameters) { json in
            try JSONDecoder().decode(Value.self, from: Data(json.bytes))
        }
    }

    init(_ name: String, _ parameters: [(String, String)], read: @escaping @Sendable (JSON) throws -> Value) {
        self.name = name
        self.parameters = parameters.map { (name: $0.0, value: $0.1) }
        self.read = read
    }

    func address(in space: String) -> ViewAddress { ViewAddress(space: space, view: name, parameters: parameters) }
}

/// The name of an action, with the types of its input and its result. `document` is the digest of the definition that the
/// types were made from: the server performs an action only if its input fits the present definition too.
public struct ActionName<Input: Sendable, Output: Sendable>: Sendable {
    /// The feature and the action: `board/add`.
    public let name: String
    let document: String?
    let write: @Sendable (Input) throws -> [UInt8]
    let read: @Sendable (JSON) throws -> Output

    /// An action whose input is written by an encoder, and whose result is read by a decoder.
    @_disfavoredOverload
    public init(_ name: String, document: String? = nil) where Input: Encodable, Output: Decodable {
        self.init(
            name, document, write: { Array(try JSONEncoder().encode($0)) },
            read: { try JSONDecoder().decode(Output.self, from: Data($0.bytes)) })
    }

    /// An action whose input and result are JSON directly.
    public init(_ name: String, document: String? = nil) where Input: JSONWritable, Output: JSONReadable {
        self.init(
            name, document, write: { try $0.json() },
            read: { try Output(parsing: $0.bytes, depth: JSONReader.greatestDepthLimit) })
    }

    init(
        _ name: String, _ document: String?, write: @escaping @Sendable (Input) throws -> [UInt8],
        read: @escaping @Sendable (JSON) throws -> Output
    ) {
        (self.name, self.document, self.write, self.read) = (name, document, write, read)
    }
}

extension JSON: Codable {
    /// Decodes any value.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let truth = try? value.decode(Bool.self) {
            self = .bool(truth)
        } else if let number = try? value.decode(Int64.self) {
            self = .number(JSON.Number(number))
        } else if let number = try? value.decode(Foundation.Decimal.self), let exact = JSON.Number(number.description) {
            self = .number(exact)
        } else if let text = try? value.decode(String.self) {
            self = .string(text)
        } else if let elements = try? value.decode([JSON].self) {
            self = .array(elements)
        } else {
            var object = Object()
            for (name, member) in try value.decode([String: JSON].self).sorted(by: { $0.key < $1.key }) {
                object[name] = member
            }
            self = .object(object)
        }
    }

    /// Encodes the value. A number with more than 38 digits is rounded to those.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .bool(let truth): try value.encode(truth)
        case .number(let number):
            if let integer = number.int64 {
                try value.encode(integer)
            } else {
                try value.encode(Foundation.Decimal(string: number.description) ?? 0)
            }
        case .string(let text): try value.encode(text)
        case .array(let elements): try value.encode(elements)
        case .object(let object):
            try value.encode(Dictionary(object.map { ($0.key, $0.value) }) { $1 })
        }
    }
}
