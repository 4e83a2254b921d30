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
        if hasDecimals {
            lines += [
                "/** The digits of an exact decimal, such as '12.50'. `Number(price)` rounds it to 15 digits. */",
                "export type Decimal = `${number}`;", "",
            ]
        }
        for enumeration in model.enumerations {
            let texts = enumeration.texts.map(quoted).joined(separator: " | ")
            lines += ["/** A newer server may send others. */", "export type \(enumeration.name) = \(texts);", ""]
        }
        for variant in model.variants {
            let records = variant.branches.map(\.record).joined(separator: " | ")
            lines += ["export type \(variant.name) = \(records);", ""]
        }
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
        lines += ["}", ""]
        if hasDecimals {
            lines += [
                "/** The places of the decimals in the values of views, and in the inputs and results of actions. */",
                "const decimals: Record<string, Places> = {",
            ]
            for view in model.views { lines += place(quoted("\(view.feature).\(view.name)"), view.value) }
            for action in model.actions {
                let input = action.input.compactMap { field in
                    places(field.type).map { "\(quoted(field.name)): \($0)" }
                }
                let result = places(action.result).map { ["result: \($0)"] } ?? []
                let both = result + (input.isEmpty ? [] : ["input: { \(input.joined(separator: ", ")) }"])
                if !both.isEmpty {
                    lines.append(
                        "  \(quoted("\(action.feature)/\(action.name)")): { \(both.joined(separator: ", ")) },")
                }
            }
            lines += ["};", "", Self.decimals]
        }
        lines += [
            Self.client, "",
            "/** Gives the client its types; its actions then say for which definition they were made. */",
        ]
        lines += ["export function typed(client: { view: unknown; act: unknown; settings: object }): TypedClient {"]
        lines += ["  Object.assign(client.settings, { headers\(hasDecimals ? ", parse, write" : "") });"]
        lines += ["  return client as unknown as TypedClient;", "}"]
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
        case .integer, .number: "number"
        case .decimal: "Decimal"
        case .string: "string"
        case .constant(let value): value.description
        case .literals(let values): values.map(\.description).joined(separator: " | ")
        case .list(let element): "ReadonlyArray<\(type(element))>"
        case .map(let value): "{ readonly [key: string]: \(type(value)) }"
        case .record(let name), .variant(let name), .enumeration(let name): name
        case .union(let forms): forms.map(type).joined(separator: " | ")
        }
    }

    /// True if a value has exact decimals.
    private var hasDecimals: Bool {
        model.views.contains { places($0.value) != nil }
            || model.actions.contains { action in
                places(action.result) != nil || action.input.contains { places($0.type) != nil }
            }
    }

    private func place(_ name: String, _ form: TypeModel.ValueForm) -> [String] {
        places(form).map { ["  \(name): \($0),"] } ?? []
    }

    /// Returns the places of the decimals within values as an expression; nil if there are none.
    private func places(_ form: TypeModel.ValueForm) -> String? {
        let found = decimals(in: form)
        return found == [] ? nil : found.description
    }

    /// Returns `true` for decimals, and otherwise an object with the members in which some are; `*` stands for all
    /// elements of a list and all values of a map.
    private func decimals(in form: TypeModel.ValueForm) -> JSON {
        switch form {
        case .decimal: return true
        case .list(let inner), .map(let inner):
            let places = decimals(in: inner)
            return places == [] ? [] : ["*": places]
        case .record(let name):
            var members = JSON.Object()
            for field in model.record(name)?.fields ?? [] {
                let places = decimals(in: field.type)
                if places != [] { members[field.name] = places }
            }
            return members.isEmpty ? [] : .object(members)
        case .variant(let name):
            let branches = model.variants.first { $0.name == name }?.branches ?? []
            return branches.map { decimals(in: .record($0.record)) }.reduce([], Self.merged)
        case .union(let forms): return forms.map(decimals).reduce([], Self.merged)
        default: return []
        }
    }

    private static func merged(_ one: JSON, _ other: JSON) -> JSON {
        guard case .object(var members) = one, case .object(let others) = other else { return one == [] ? other : one }
        for member in others { members[member.key] = merged(members[member.key] ?? [], member.value) }
        return .object(members)
    }

    private static let decimals = """
        type Places = true | { readonly [member: string]: Places };

        const within = (places: Places | undefined, name: string): Places | undefined =>
          typeof places === 'object' ? (Object.keys(places).includes(name) ? places[name] : places['*']) : undefined;

        /** Reads JSON whose texts begin with `s` and whose numbers are texts that begin with `n`. */
        function exact(value: unknown, places?: Places): unknown {
          if (typeof value === 'string') return value[0] === 's' || places === true ? value.slice(1) : Number(value.slice(1));
          if (Array.isArray(value)) return value.map((one) => exact(one, within(places, '*')));
          if (typeof value !== 'object' || value === null) return value;
          return Object.fromEntries(Object.entries(value).map(([name, one]) => [name.slice(1), exact(one, within(places, name.slice(1)))]));
        }

        const stepsOf = (path: string): string[] => path.split('/').slice(1).map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'));

        /** The places in an event of the stream, or in the answer to an action. */
        function placesOf(event: Record<string, unknown>): Places {
          const found: Record<string, Places> = {};
          for (const name of Object.keys(event)) {
            const places = decimals[name.slice(name.indexOf('/') + 1).split('?')[0] ?? ''];
            if (places) found[name.slice(1)] = places;
          }
          return found;
        }

        /** Parses JSON: decimals become texts with all their digits. */
        function parse(text: string, path?: unknown): unknown {
          const tagged = JSON.parse(text.replace(/"(?:[^"\\\\]+|\\\\.)*"|-?\\d[\\d.eE+-]*/g, (token) => (token[0] === '"' ? `"s${token.slice(1)}` : `"n${token}"`)));
          if (typeof tagged !== 'object' || tagged === null || Array.isArray(tagged)) return exact(tagged);
          if (typeof path === 'string') return exact(tagged, decimals[path.split('/').slice(2).join('/')]);
          const places = placesOf(tagged);
          const event = exact(tagged, places) as Record<string, unknown>;
          for (const [name, operations] of Object.entries((tagged.s_patches ?? {}) as Record<string, Record<string, unknown>[]>)) {
            const ofView = within(placesOf({ [name]: null }), name.slice(1));
            (event._patches as Record<string, unknown>)[name.slice(1)] = operations.map((operation) => {
              const steps = stepsOf(String(exact(operation.spath)));
              return { ...(exact(operation) as object), ...('svalue' in operation ? { value: exact(operation.svalue, steps.reduce(within, ofView)) } : {}) };
            });
          }
          return event;
        }

        /** Returns the JSON of an input, in which decimals are numbers. */
        function write(input: unknown, name: string): string | undefined {
          return written(input, within(decimals[name], 'input'));
        }

        function written(value: unknown, places?: Places): string | undefined {
          if (places === true && typeof value === 'string' && /^-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?$/.test(value)) return value;
          if (typeof value !== 'object' || value === null) return JSON.stringify(value);
          if (Array.isArray(value)) return `[${value.map((one) => written(one, within(places, '*')) ?? 'null').join()}]`;
          const members = Object.entries(value).map(([member, one]) => [member, written(one, within(places, member))] as const);
          return `{${members.filter(([, one]) => one !== undefined).map(([member, one]) => `${JSON.stringify(member)}:${one}`).join()}}`;
        }

        """

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
        """
}
