internal import Ground
import JSON

/// The parameters that a view takes, and the names of its instances.
///
/// An instance is the view for some parameters and, of a list, for a window. Its name is that of the view, `?` and the
/// parameters: in the order of their declaration, without those that have their default, percent-encoded, then the
/// window. Equal instances have equal names.
package struct ViewForm: @unchecked Sendable {
    // Sendable because nothing changes after `init`, and `normalize` is a closure over a metatype only.

    /// The bytes of a name at most.
    static let nameBytesLimit = 8_192

    /// The name of the view, as `feature.view`.
    package let name: ViewKey
    /// The parameters, in the order of their declaration.
    let parameters: [ViewParameter]
    /// True if the values are lists, of which a request can ask for a window.
    let isList: Bool
    /// Reads the parameters as the view takes them, and returns them with all defaults.
    let normalize: (JSON) throws(JSONError) -> JSON

    /// One instance of a view.
    struct Instance: Sendable {
        /// The name, in its one form.
        let name: ViewKey
        /// The parameters as an object with all members.
        let parameters: JSON
        let window: ListWindow?
    }

    /// The names of all parameters that a request can have.
    var names: [String] { parameters.map(\.name) + (isList ? ListWindow.names : []) }

    /// True if every instance has a name beyond that of the view.
    package var needsParameters: Bool { parameters.contains(where: \.isRequired) }

    /// Returns the instance for the parameters of a request, in any order and form.
    func instance(
        of arguments: [(name: String, value: String)], _ key: DigestKey
    ) throws(ParameterFault) -> Instance {
        var given: [String: String] = [:]
        for (name, value) in arguments {
            guard names.contains(name) else {
                throw ParameterFault("\(self.name) has no parameter \(name.excerpt)", at: name, allowed: names)
            }
            guard given.updateValue(value, forKey: name) == nil else {
                throw ParameterFault("the parameter \(name.excerpt) is there twice: send it once", at: name)
            }
        }
        let object = try object(of: given)
        let window = isList ? try ListWindow(given, of: "\(name)", key) : nil
        var pairs: [(name: String, value: String)] = []
        for parameter in parameters {
            let value = object[parameter.name] ?? .null
            if parameter.isRequired || value != parameter.fallback {
                pairs.append((parameter.name, ViewParameter.text(value)))
            }
        }
        pairs += window?.pairs ?? []
        guard !pairs.isEmpty else { return Instance(name: name, parameters: object, window: nil) }
        let name = "\(self.name)?" + pairs.map { "\($0.name)=\(QueryText.encoded($0.value))" }.joined(separator: "&")
        guard name.utf8.count <= Self.nameBytesLimit else {
            throw ParameterFault(
                "the parameters have more than \(Self.nameBytesLimit) bytes", at: pairs[0].name)
        }
        return Instance(name: ViewKey(name), parameters: object, window: window)
    }

    /// Reads the parameters of the view itself.
    private func object(of given: [String: String]) throws(ParameterFault) -> JSON {
        guard !parameters.isEmpty else { return [:] }
        var object = JSON.Object()
        for parameter in parameters {
            guard let text = given[parameter.name] else {
                guard !parameter.isRequired else {
                    throw ParameterFault("\(name) needs the parameter \(parameter.name)", at: parameter.name)
                }
                continue
            }
            guard let value = parameter.value(text) else {
                throw ParameterFault(
                    "the parameter \(parameter.name) is \(parameter.kind.phrase)", at: parameter.name,
                    allowed: parameter.choices)
            }
            object[parameter.name] = value
        }
        do throws(JSONError) {
            return try normalize(.object(object))
        } catch {
            let name = error.pointer.tokens.first ?? ""
            let choices = parameters.first { $0.name == name }?.choices ?? []
            throw ParameterFault("\(error.reason)", at: name, allowed: choices)
        }
    }
}
