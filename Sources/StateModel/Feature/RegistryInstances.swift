// The names of views and of their instances.

extension Registry {
    /// The names of the parameters that requests for a view can have, of its windows too.
    package func parameterNames(of view: String) -> [String] { catalog.form(ofView: view)?.names ?? [] }

    /// The names of the parameters of a view itself, without those of its windows.
    package func ownParameterNames(of view: String) -> [String] {
        catalog.form(ofView: view)?.parameters.map(\.name) ?? []
    }

    /// Returns true if a view has required parameters.
    package func needsParameters(_ view: String) -> Bool { catalog.form(ofView: view)?.needsParameters ?? false }

    /// Returns the name of the instance of a view for the parameters of a request. A view that does not exist keeps its
    /// name.
    package func instanceName(
        of view: String, _ arguments: [(name: String, value: String)], _ key: DigestKey
    ) throws(ParameterFault) -> String {
        guard let form = catalog.form(ofView: view) else { return view }
        return try form.instance(of: arguments, key).name
    }

    /// Returns the one form of a view's name, which a client may have written in another: with the parameters in another
    /// order, with defaults, or encoded otherwise. A view that does not exist keeps its name.
    package func viewName(_ written: String, _ key: DigestKey) throws(ParameterFault) -> String {
        try catalog.viewName(written, key)
    }

    /// Returns true if a name is the one form of a view's name or of an instance's.
    package func isWellNamed(_ view: String, _ key: DigestKey) -> Bool {
        !view.utf8.contains(UInt8(ascii: "?")) || openScope(of: view) != nil || catalog.instance(view, key) != nil
    }
}
