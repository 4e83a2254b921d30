import JSON

/// The code of a model in Python: types, and a client whose views and actions have them. It needs the standard library
/// only.
struct PythonCode {
    let model: TypeModel

    var text: String {
        var lines = [
            "\"\"\"Made by `headwater generate python`. Do not edit: generate it again.\"\"\"",
            "from __future__ import annotations", "",
            "import json", "import urllib.error", "import urllib.parse", "import urllib.request",
            "from decimal import Decimal",
            "from typing import Any, Generic, Literal, Mapping, NotRequired, TypedDict, TypeVar, Union, cast, overload",
            "",
            "SCHEMA_HASH = \"\(model.hash)\"", "",
            "# The definitions of the features for which this file was made, by name.", "DOCUMENTS: dict[str, str] = {",
        ]
        lines += model.hashes.map { "    \(quoted($0.feature)): \(quoted($0.hash))," }
        lines += [
            "}", "", "Value = TypeVar(\"Value\")", "",
        ]
        for enumeration in model.enumerations {
            let texts = enumeration.texts.map(quoted).joined(separator: ", ")
            lines += ["# A newer server may send others.", "\(enumeration.name) = Literal[\(texts)]", ""]
        }
        for record in model.records { lines += declaration(record.name, record.fields) }
        for variant in model.variants {
            lines += ["\(variant.name) = Union[\(variant.branches.map(\.record).joined(separator: ", "))]", ""]
        }
        for action in model.actions where !action.input.isEmpty { lines += declaration(action.inputName, action.input) }
        lines += [Self.beginning]
        lines += model.views.flatMap { view in
            [
                "    @overload",
                "    def view(self, _view: Literal[\(quoted("\(view.feature).\(view.name)"))], /\(parameters(view))) -> \(type(view.value)): ...",
            ]
        }
        if model.views.count == 1 {
            lines += ["    @overload", "    def view(self, _view: Literal[\"\"], /) -> None: ..."]
        }
        lines += [Self.view]
        lines += model.actions.flatMap { action in
            let name = quoted("\(action.feature)/\(action.name)")
            let isOptional = !action.input.contains(where: \.isRequired)
            let input = action.input.isEmpty ? "Mapping[str, Any]" : action.inputName
            return [
                "    @overload",
                "    def act(self, name: Literal[\(name)], input: \(isOptional ? "\(input) | None = None" : input), *, key: str | None = None) -> Performed[\(type(action.result))]: ...",
            ]
        }
        if model.actions.count == 1 {
            lines += [
                "    @overload",
                "    def act(self, name: Literal[\"\"], input: None = None, *, key: None = None) -> Performed[None]: ...",
            ]
        }
        lines += [Self.act]
        return lines.joined(separator: "\n") + "\n"
    }

    private func parameters(_ view: TypeModel.ViewSignature) -> String {
        let named = view.parameters.filter { Self.isName($0.name) }
        var words = named.map { "\($0.name): \(type($0.type))" + ($0.isRequired ? "" : " = ...") }
        if !words.isEmpty { words.insert("*", at: 0) }
        if named.count < view.parameters.count { words.append("**others: Any") }
        return words.map { ", " + $0 }.joined()
    }

    private static let keywords: Set<String> = [
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
        "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
        "not", "or", "pass", "raise", "return", "self", "try", "while", "with", "yield",
    ]

    /// Returns true if a parameter of a function can have the name.
    private static func isName(_ text: String) -> Bool {
        text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") } && text.first?.isNumber == false
            && !keywords.contains(text)
    }

    /// The functional form takes names that are no names of Python.
    private func declaration(_ name: String, _ fields: [TypeModel.Field]) -> [String] {
        let members = fields.map { field in
            let type = field.isRequired ? type(field.type) : "NotRequired[\(type(field.type))]"
            return "    \(quoted(field.name)): \(quoted(type)),"
        }
        return ["\(name) = TypedDict(\(quoted(name)), {"] + members + ["})", ""]
    }

    private func quoted(_ text: String) -> String { JSON.string(text).description }

    private func type(_ form: TypeModel.ValueForm) -> String {
        switch form {
        case .any: "Any"
        case .null: "None"
        case .boolean: "bool"
        case .integer: "int"
        case .number: "Union[int, Decimal]"
        case .decimal: "Union[int, Decimal]"
        case .string: "str"
        case .constant(let value): literals([value])
        case .literals(let values): literals(values)
        case .list(let element): "list[\(type(element))]"
        case .map(let value): "dict[str, \(type(value))]"
        case .record(let name), .variant(let name), .enumeration(let name): name
        case .union(let forms): "Union[\(forms.map(type).joined(separator: ", "))]"
        }
    }

    private func literals(_ values: [JSON]) -> String {
        let isPlain = values.allSatisfy { value in
            switch value {
            case .null, .bool, .string: true
            case .number(let number): number.int64 != nil
            default: false
            }
        }
        return isPlain ? "Literal[\(values.map(literal).joined(separator: ", "))]" : "Any"
    }

    private func literal(_ value: JSON) -> String {
        switch value {
        case .null: "None"
        case .bool(let truth): truth ? "True" : "False"
        default: value.description
        }
    }

    private static let beginning = """

        class Refused(Exception):
            \"""The server refused a request; `problem` says why.\"""

            def __init__(self, status: int, problem: dict[str, Any]) -> None:
                super().__init__(problem.get("detail", ""))
                self.status = status
                self.problem = problem

            @property
            def is_too_old(self) -> bool:
                \"""True if this file is too old for the server: generate it again.\"""
                return bool(self.problem.get("type") == "/problems/changed-document")


        class Performed(Generic[Value]):
            \"""The answer to an action.\"""

            def __init__(self, version: int, changed: list[str], result: Value) -> None:
                self.version = version
                self.changed = changed
                self.result = result


        class Client:
            \"""One space of a server. Numbers with decimals are exact.\"""

            def __init__(self, server: str, space: str = "main", token: str | None = None) -> None:
                self.server = server.rstrip("/")
                self.space = space
                self.token = token

            def _ask(self, method: str, path: str, body: Any = None, key: str | None = None) -> Any:
                data = None if body is None else self._json(body).encode()
                request = urllib.request.Request(f"{self.server}/v1/spaces/{self.space}/{path}", data=data, method=method)
                if data is not None:
                    request.add_header("Content-Type", "application/json")
                if method == "POST" and (document := DOCUMENTS.get(path.partition("/")[0])):
                    request.add_header("Headwater-Document", document)
                if key is not None:
                    request.add_header("Idempotency-Key", key)
                if self.token is not None:
                    request.add_header("Authorization", f"Bearer {self.token}")
                try:
                    with urllib.request.urlopen(request) as answer:
                        return json.loads(answer.read(), parse_float=Decimal)
                except urllib.error.HTTPError as error:
                    raise Refused(error.code, json.loads(error.read() or b"{}")) from None

            @classmethod
            def _json(cls, value: Any) -> str:
                \"""Returns a value as JSON, decimals with all their digits.\"""
                if isinstance(value, Decimal):
                    if not value.is_finite():
                        raise ValueError(f"{value} is not JSON")
                    return format(value, "f")
                if isinstance(value, Mapping):
                    return "{" + ",".join(f"{json.dumps(str(name))}:{cls._json(one)}" for name, one in value.items()) + "}"
                if isinstance(value, (list, tuple)):
                    return "[" + ",".join(cls._json(one) for one in value) + "]"
                return json.dumps(value, allow_nan=False)

        """

    private static let view = """
            def view(self, _view: str, /, **parameters: Any) -> Any:
                \"""Returns the value of a view.\"""
                words = {key: str(value).lower() if isinstance(value, bool) else value for key, value in parameters.items()}
                query = "?" + urllib.parse.urlencode(words) if words else ""
                return self._ask("GET", _view.replace(".", "/", 1) + query)

        """

    private static let act = """
            def act(self, name: str, input: Any = None, *, key: str | None = None) -> Any:
                \"""Performs an action.\"""
                answer = self._ask("POST", name, {} if input is None else input, key)
                return Performed(answer["version"], answer["changed"], cast(Any, answer.get("result")))
        """
}
