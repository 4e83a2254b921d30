import JSON

/// The code of a model in TypeScript: types, and a client whose views and actions have them.
struct TypeScriptCode {
    let model: TypeModel

    var text: String {
        var lines = [
            "// Made by `headwater generate typescript`. Do not edit: generate it again.",
            "//",
            "//     import * as client from '/client.js';",
            "//     const { view, act } = typed(client);",
            "",
            "export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };",
            "", "/** The digest of the actions and views that these types describe. */",
            "export const schemaHash = '\(model.hash)';", "",
            "/** The fields of each action that say for which definition of its feature these types were made. */",
            "const headers: Record<string, Record<string, string>> = {",
        ]
        lines += model.actions.compactMap { action in
            model.hash(of: action.feature).map {
                "  \(quoted("\(action.feature)/\(action.name)")): { 'Headwater-Document': \(quoted($0)) },"
            }
        }
        lines += ["};", ""]
        for record in model.records { lines += declaration(record.name, record.fields) }
        for action in model.actions where !action.input.isEmpty { lines += declaration(action.inputName, action.input) }
        lines += ["/** The values of the views, by name. */", "export interface Views {"]
        lines += model.views.map { "  \(quoted("\($0.feature).\($0.name)")): \(type($0.value));" }
        lines += [
            "}", "", "/** The parameters of the views that have some, by name. */", "export interface Parameters {",
        ]
        lines += model.views.filter { !$0.parameters.isEmpty }.map { view in
            "  \(quoted("\(view.feature).\(view.name)")): { \(members(view.parameters)) };"
        }
        lines += ["}", "", "/** The inputs and the results of the actions, by name. */", "export interface Actions {"]
        lines += model.actions.map { action in
            "  \(quoted("\(action.feature)/\(action.name)")): { input: \(input(action)); result: \(type(action.result)) };"
        }
        lines += ["}", "", Self.client]
        return lines.joined(separator: "\n") + "\n"
    }

    private func input(_ action: TypeModel.ActionSignature) -> String {
        guard !action.input.isEmpty else { return "Record<string, never> | undefined" }
        return action.inputName + (action.input.contains(where: \.isRequired) ? "" : " | undefined")
    }

    private func declaration(_ name: String, _ fields: [TypeModel.Field]) -> [String] {
        ["export interface \(name) {"] + fields.map { "  \(member($0));" } + ["}", ""]
    }

    private func members(_ fields: [TypeModel.Field]) -> String { fields.map(member).joined(separator: "; ") }

    private func member(_ field: TypeModel.Field) -> String {
        let isPlain = field.name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        let name = isPlain && !(field.name.first?.isNumber ?? true) ? field.name : quoted(field.name)
        return "readonly \(name)\(field.isRequired ? "" : "?"): \(type(field.type))"
    }

    private func quoted(_ text: String) -> String { JSON.string(text).description }

    private func type(_ form: TypeModel.ValueForm) -> String {
        switch form {
        case .any: "Json"
        case .null: "null"
        case .boolean: "boolean"
        // Decimals are exact on the wire; a double has 15 digits of them.
        case .integer, .number, .decimal: "number"
        case .string: "string"
        case .literal(let values): values.map(\.description).joined(separator: " | ")
        case .list(let element): "ReadonlyArray<\(type(element))>"
        case .map(let value): "{ readonly [key: string]: \(type(value)) }"
        case .record(let name): name
        case .union(let forms): forms.map(type).joined(separator: " | ")
        }
    }

    private static let client = """
        export interface View<Value> {
          subscribe(listener: (value: Value | undefined) => void): () => void;
          get(): Value | undefined;
        }

        export interface Answer<Result> {
          readonly space: string;
          readonly version: number;
          readonly changed: readonly string[];
          readonly result: Result;
        }

        export interface Performed<Result> extends Promise<Answer<Result>> {
          readonly shown: Promise<Answer<Result>>;
        }

        type Options<Name> = { space?: string } & (Name extends keyof Parameters ? { parameters: Parameters[Name] } : { parameters?: undefined });
        type Rest<Name> = Name extends keyof Parameters ? [options: Options<Name>] : [options?: Options<Name>];
        type InputOf<Name extends keyof Actions> = undefined extends Actions[Name]['input']
          ? [input?: Actions[Name]['input'], options?: { space?: string; key?: string }]
          : [input: Actions[Name]['input'], options?: { space?: string; key?: string }];

        /** The client of `/client.js` with the types of this server. */
        export interface TypedClient {
          view<Name extends keyof Views>(name: Name, ...rest: Rest<Name>): View<Views[Name]>;
          act<Name extends keyof Actions>(name: Name, ...rest: InputOf<Name>): Performed<Actions[Name]['result']>;
        }

        /** True if the server refused an action because these types are too old for it: generate them again. */
        export const isTooOld = (error: unknown): boolean =>
          (error as { problem?: { type?: string } }).problem?.type === '/problems/changed-document';

        /** Gives the client its types; its actions then say for which definition they were made. */
        export function typed(client: { view: unknown; act: unknown; settings: object }): TypedClient {
          Object.assign(client.settings, { headers });
          return client as unknown as TypedClient;
        }
        """
}
