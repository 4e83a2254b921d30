extension DocumentSchema {
    /// A line for each member: its part, its name, its form (`!` if it is required) and its description. A test compares
    /// the lines with the members that the reader knows.
    static let lines = """
        document | $schema | text | The schema of this document, for editors. The server ignores it.
        document | feature | name! | The name of the feature: a letter, then letters and digits. It is the first part of the paths of its actions and views.
        document | home | "space" "common"! | Where the state lives: in each space, or once in the space common.
        document | given | [name] | The features whose state this one may read, as given.NAME.
        document | types | {schema} | Named schemas, to which others refer as {"$ref": "#/types/NAME"}.
        document | state | {variable or table} | The variables and the tables.
        document | actions | {action} | The actions, by name: POST /v1/spaces/SPACE/FEATURE/ACTION performs one.
        document | views | {view of an expression or view of a table or view of a pipeline} | The views, by name: GET /v1/spaces/SPACE/FEATURE/VIEW reads one.
        document | schedules | {schedule for rows or schedule of a period or schedule of a calendar} | Actions that the server performs by itself.
        document | allow | allow | The rules of the feature: who may read and who may act.
        document | tests | [test] | Tests, which run in virtual time before the document is taken.
        document | drops | [text] | The names of stored variables, tables, members and views that this document gives up, with their values.
        document | fixtures | {fixture} | Steps that several tests begin with, by name.
        document | define | {definition} | Names for expressions and for steps, used as NAME(…) and by the step call.
        document | replica | {replica} | The variables and tables that clients may hold a copy of, by name.
        replica | where | cel | The rows that a caller holds, over row, key, token, state and index: alternatives (||), each with an equality that an index answers, or without row and key. Without it, all rows.
        replica | of | text | Another table of the replica. A caller holds the rows that belong to a row that it holds there.
        replica | by | cel | The key of the row there to which a row belongs, such as row.project.
        document | hooks | {hook} | The hooks of every space, by name: what is sent to other servers.
        variable | value | schema! | The schema of the variable. What is stored always satisfies it.
        variable | initial | anything! | The value before the first commit.
        variable | migrate | cel | The value as made of the old one (old), when the schema has changed.
        variable | was | text | The name under which the value was stored before.
        table | table | table form! | The schemas of the keys and of the rows.
        table | initial | object | The rows before the first commit, by key.
        table | kept | truth | False for rows in memory only: they have no versions and end with the server.
        table | presence | truth | True if the rows are those of connected clients. The table is not kept.
        table | grace | count | The seconds for which a row stays after its last connection has ended.
        table | onLeave | text | The action that is performed when a row of a client goes.
        table | migrate | cel | A row as made of the old one (old, key), when the schema has changed.
        table | was | text | The name under which the rows were stored before.
        table | from | from of a table | The table of which the rows are made, once, when a space migrates.
        table | seed | "always" | Initial rows that are added later reach spaces in use, once each.
        table | indexes | {index} | Groups of rows, or a selection in an order, by name: read as index.NAME(…).
        table form | key | schema! | The schema of the keys, which are strings.
        table form | row | schema! | The schema of the rows. A row is never null.
        from of a table | table | text! | The table of which rows are made.
        from of a table | where | cel | The rows of it that count.
        from of a table | row | cel | The new row, made of row and key.
        from of a table | key | cel | The new key, made of row and key.
        index | by | cel or [cel] | The group of a row: up to four expressions of row and key.
        index | sort | sort or [sort] | The order within a group, with - before an expression for falling values; ties by key.
        index | where | cel | The rows that the index has.
        index | unique | truth | True if a group has at most one row.
        index | search | [cel] | The texts of a full-text index, the most important first; a view reads it with search.
        element of sort | by | cel! | The expression, with - before it for falling values.
        element of sort | collation | "root" | The order of letters, then of accents, then of case, for all languages.
        definition | of | {schema} | The parameters, with their schemas.
        definition | is | cel | The expression, over the parameters.
        definition | do | [step] | The steps, in place of an expression.
        action | input | schema | The schema of the input, an object. Without it the action has no parameters.
        action | let | [let] | Names for values, computed in order before the guards.
        action | require | [require] | The guards, in order. The first that is false is the answer.
        action | do | [step]! | The steps, in order. Each sees what the steps before it wrote; all or nothing.
        action | answer | cel | The result in the action's answer, after the steps.
        action | allow | cel | The rule of the action, over token, space, input and state: false answers 403.
        action | predict | truth | False if clients do not perform the action themselves before the server has.
        let | name | name! | The name.
        let | is | cel! | Its value.
        require | that | cel! | What must be true.
        require | else | else of require! | The answer if it is not.
        else of require | status | count | The status: 403, 409 (the default) or 422.
        else of require | detail | template! | The reason, for a person. Expressions stand in braces.
        else of require | pointer | text | The place in the input, as a JSON Pointer such as /id.
        step set | set | text! | The variable to write.
        step set | to | cel! | Its new value.
        step put | put | text! | The table in which a row is added or replaced.
        step put | key | cel! | The key of the row.
        step put | row | cel! | The row.
        step update | update | text! | The table of the row, which must be there.
        step update | key | cel! | The key of the row.
        step update | with | cel! | The members that are replaced; the expression may read row.
        step remove | remove | text! | The table from which a row is removed, if it is there.
        step remove | key | cel! | The key of the row.
        step clear | clear | text! | The table from which all rows are removed.
        step when | when | cel! | The condition.
        step when | do | [step]! | The steps if it is true.
        step when | else | [step] | The steps if it is not.
        step each | each | cel! | The list.
        step each | as | name! | The name of the present element.
        step each | do | [step]! | The steps for each element.
        step call | call | text! | The definition whose steps are performed.
        step call | with | {cel} | The values of its parameters.
        view of an expression | expression | cel! | The value, computed again when something changed that it reads.
        view of an expression | parameters | {schema} | The parameters, which a request has in its query; read as input.NAME.
        view of an expression | allow | cel | The rule of the view, over token, space, input and state.
        view of an expression | private | truth | True if the view shows private members.
        view of an expression | local | truth | True if clients compute the view over the rows that they hold.
        view of an expression | every | text | The grain of now in the view, from 1s to 1d, as in 1m.
        view of a table | from | text! | The table. The view is maintained by row.
        view of a table | join | {cel} | Keys of rows of other tables, read as joined.TABLE.
        view of a table | where | cel | The rows that count, over row, key and input.
        view of a table | sort | sort or [sort] | The order: expressions, with - before one for falling values; ties by key.
        view of a table | limit | count | The greatest number of elements.
        view of a table | select | cel | An element. Without it an element is {"key", "row"}.
        view of a table | count | truth | True for the number of rows in place of a list.
        view of a table | sum | cel | The sum of an expression in place of a list.
        view of a table | min | cel | The least value of an expression in place of a list.
        view of a table | max | cel | The greatest value of an expression in place of a list.
        view of a table | average | cel | The average of an expression in place of a list.
        view of a table | by | cel | The group of a row: the value is an object with one number for each group.
        view of a table | parameters | {schema} | The parameters, which a request has in its query; read as input.NAME.
        view of a table | allow | cel | The rule of the view, over token, space, input and state.
        view of a table | private | truth | True if the view shows private members.
        view of a table | local | truth | True if clients compute the view over the rows that they hold.
        view of a table | every | text | The grain of now in the view, from 1s to 1d, as in 1m.
        view of a table | search | search of a view | The rows that have all words of a text, best first.
        search of a view | index | text! | The full-text index of the table.
        search of a view | for | cel! | The text; the last word is the beginning of one. An empty one finds all rows.
        view of a pipeline | source | object! | The source: a view, commits, or a joining of several sources.
        view of a pipeline | operators | [object] | The operators, as those of streams.
        view of a pipeline | allow | cel | The rule of the view, over token, space and state.
        schedule for rows | for | text! | The table or the variable.
        schedule for rows | at | cel! | The time: a timestamp, a date-time text, or null for none.
        schedule for rows | act | text! | The action.
        schedule for rows | input | cel | Its input.
        schedule of a period | every | count! | The seconds from one firing to the next.
        schedule of a period | exact | truth | True if the times of all spaces are the same.
        schedule of a period | act | text! | The action.
        schedule of a period | input | cel | Its input.
        schedule of a period | missed | "once" "skip" | What happens after times that were missed: one firing, or none.
        schedule of a calendar | cron | text! | The times: minute, hour, day, month and weekday.
        schedule of a calendar | zone | text | The time zone, such as Europe/Paris. Without it UTC.
        schedule of a calendar | act | text! | The action.
        schedule of a calendar | input | cel | Its input.
        schedule of a calendar | missed | "once" "skip" | What happens after times that were missed: one firing, or none.
        allow | read | cel | Who may read the views, over token, space and state.
        allow | act | cel | Who may perform the actions, over token, space, input and state.
        allow | edit | cel | Which administrators may edit rows, over token, space and state: "false" forbids it.
        hook | source | source of a hook! | The commits, or the view whose changes are sent.
        hook | url | text! | The receiver, on a host that the operator allows.
        hook | secret | text! | The name of a secret that the operator gives with --secret, never the secret.
        source of a hook | changes | [text] | Patterns of actions: FEATURE/ACTION, FEATURE/* or *.
        source of a hook | view | text | The name of a view, as FEATURE.VIEW.
        test | name | text! | The name, a sentence.
        test | steps | [act step of a test or after step of a test or expect step of a test or use step of a test]! | The steps.
        act step of a test | act | text! | The action.
        act step of a test | input | object | Its input.
        act step of a test | space | text | The space; without it test, or common.
        act step of a test | token | object | The claims of the caller. With them the rules are asked.
        act step of a test | refused | object | The members that the refusal must have, such as status and pointer.
        act step of a test | answer | anything | The result that the action must answer.
        after step of a test | after | number! | The seconds by which the time advances.
        expect step of a test | expect | object! | The views and the values that they must have.
        expect step of a test | space | text | The space; without it test, or common.
        expect step of a test | token | object | The claims of the reader. With them the rules are asked.
        use step of a test | use | text! | The fixture whose steps are performed here.
        fixture | steps | [act step of a test or after step of a test or expect step of a test or use step of a test]! | The steps.
        schema | type | text or [text] | string, integer, number, boolean, object, array or null; or a list of these.
        schema | properties | {schema} | The members of an object. Others are refused unless additionalProperties says so.
        schema | required | [text] | The members that must be there.
        schema | additionalProperties | truth or schema | True, false or the schema of other members.
        schema | items | schema | The schema of the elements of a list.
        schema | enum | [anything] | The permitted values.
        schema | const | anything | The one permitted value.
        schema | minimum | number | The least number.
        schema | maximum | number | The greatest number.
        schema | exclusiveMinimum | number | A number that is too small.
        schema | exclusiveMaximum | number | A number that is too great.
        schema | multipleOf | number | A number of which the value is a multiple.
        schema | minLength | count | The least number of characters.
        schema | maxLength | count | The greatest number of characters.
        schema | pattern | text | A regular expression that the text has a match of.
        schema | minItems | count | The least number of elements.
        schema | maxItems | count | The greatest number of elements.
        schema | uniqueItems | truth | True if no two elements are equal.
        schema | format | "date-time" "date" "uuid" "decimal" | The form of a text, or decimal for exact numbers.
        schema | default | anything | The value of a member that is missing.
        schema | private | truth | True if the value is shown only by views that say so.
        schema | $ref | text | A named type: #/types/NAME.
        schema | was | text | The name of the member under which it was stored before.
        schema | oneOf | [schema] | Branches, each an object with a constant for the discriminator.
        schema | discriminator | object | The member that tells the branches apart: {"propertyName": "kind"}.
        schema | anyOf | [schema] | A named type, or null.
        """
}
