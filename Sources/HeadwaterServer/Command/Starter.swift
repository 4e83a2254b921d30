/// A first app of `headwater dev`: a document and a page, of which a person changes the first line within a minute.
enum Starter: String, CaseIterable {
    case counter, list, room

    /// The document, with comments.
    var document: String {
        switch self {
        case .counter: Self.counterDocument
        case .list: Self.listDocument
        case .room: Self.roomDocument
        }
    }

    /// The page.
    var page: String {
        let (title, body, script) =
            switch self {
            case .counter: Self.counterPage
            case .list: Self.listPage
            case .room: Self.roomPage
            }
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <link rel="icon" href="data:,">
            <title>\(title)</title>
            <style>
              body { font: 1.1rem/1.6 system-ui, sans-serif; max-width: 36rem; margin: 3rem auto; padding: 0 1rem; color-scheme: light dark; }
              button, input { font: inherit; padding: .3rem .8rem; }
              output { font-size: 3rem; display: block; }
              .done { text-decoration: line-through; opacity: .6; }
            </style>
            <h1>\(title)</h1>
            \(body)
            <p role="status"></p>
            <script type="module">
              import { act, view } from '/client.js';

              const $ = (selector) => document.querySelector(selector);
              // Performs an action, and shows the reason if the server refuses it.
              const perform = (name, input) => act(name, input).then(() => { $('[role=status]').textContent = ''; },
                (error) => { $('[role=status]').textContent = error.message; });

            \(script)
            </script>
            </html>

            """
    }

    // MARK: A counter

    private static let counterDocument = #"""
        // A counter: one variable, two actions, one view. Save a change, and each open page shows it.
        {
          "feature": "counter",
          "home": "space",
          "state": {
            "count": {"value": {"type": "integer", "minimum": 0}, "initial": 0},
          },
          "actions": {
            "add": {"do": [{"set": "count", "to": "state.count + 1"}]},
            "subtract": {
              // A guard: what must be true, and the answer if it is not.
              "require": [{"that": "state.count > 0", "else": {"status": 409, "detail": "the count is 0 already"}}],
              "do": [{"set": "count", "to": "state.count - 1"}],
            },
          },
          "views": {
            "count": {"expression": "state.count"},
          },
          // Tests run at each save, before the document is taken.
          "tests": [
            {"name": "it counts", "steps": [
              {"act": "add"}, {"act": "add"}, {"expect": {"count": 2}},
              {"act": "subtract"}, {"expect": {"count": 1}},
            ]},
            {"name": "it does not go below 0", "steps": [{"act": "subtract", "refused": {"status": 409}}]},
          ],
        }

        """#

    private static let counterPage = (
        "Counter",
        """
        <output id="count">…</output>
        <button id="subtract">−</button> <button id="add">+</button>
        """,
        """
          view('counter.count').subscribe((count) => { $('#count').textContent = count; });
          $('#add').onclick = () => perform('counter/add');
          $('#subtract').onclick = () => perform('counter/subtract');
        """
    )

    // MARK: A list

    private static let listDocument = #"""
        // A list of things to do: one table, three actions, two views.
        {
          "feature": "list",
          "home": "space",
          "types": {
            "Item": {
              "type": "object",
              "properties": {
                "text": {"type": "string", "minLength": 1, "maxLength": 200},
                "done": {"type": "boolean", "default": false},
              },
              "required": ["text"],
            },
          },
          "state": {
            "items": {
              "table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Item"}},
              // The items that are done: an index finds them without a walk over all items.
              "indexes": {"done": {"where": "row.done"}},
            },
          },
          "actions": {
            "add": {
              "input": {
                "type": "object",
                "properties": {"text": {"type": "string", "minLength": 1, "maxLength": 200}},
                "required": ["text"],
              },
              "do": [{"put": "items", "key": "newId()", "row": "{'text': input.text}"}],
            },
            "check": {
              "input": {
                "type": "object",
                "properties": {"id": {"type": "string"}, "done": {"type": "boolean"}},
                "required": ["id", "done"],
              },
              "require": [{"that": "input.id in state.items", "else": {"detail": "the item is gone", "pointer": "/id"}}],
              "do": [{"update": "items", "key": "input.id", "with": "{'done': input.done}"}],
            },
            // Removes all items that are done.
            "clear": {
              "do": [{"each": "index.done()", "as": "id", "do": [{"remove": "items", "key": "id"}]}],
            },
          },
          "views": {
            "items": {"from": "items"},
            "left": {"from": "items", "where": "!row.done", "count": true},
          },
          "tests": [
            {"name": "an item is added, checked and cleared", "steps": [
              {"act": "add", "input": {"text": "milk"}},
              {"expect": {"left": 1}},
              {"act": "check", "input": {"id": "1", "done": true}},
              {"expect": {"left": 0, "items": [{"key": "1", "row": {"text": "milk", "done": true}}]}},
              {"act": "clear"},
              {"expect": {"items": []}},
            ]},
          ],
        }

        """#

    private static let listPage = (
        "List",
        """
        <form><input name="text" aria-label="What to do" required maxlength="200"> <button>Add</button></form>
        <ul id="items"></ul>
        <p><span id="left"></span> left <button id="clear">Clear what is done</button></p>
        """,
        """
          view('list.left').subscribe((left) => { $('#left').textContent = left; });
          view('list.items').subscribe((items) => {
            $('#items').replaceChildren(...(items ?? []).map(({ key, row }) => {
              const box = Object.assign(document.createElement('input'), {
                type: 'checkbox', checked: row.done, onchange: () => perform('list/check', { id: key, done: box.checked }),
              });
              const label = Object.assign(document.createElement('label'), { className: row.done ? 'done' : '' });
              label.append(box, ' ', row.text);
              const line = document.createElement('li');
              line.append(label);
              return line;
            }));
          });
          $('form').onsubmit = (event) => {
            event.preventDefault();
            perform('list/add', { text: $('form').text.value });
            $('form').reset();
          };
          $('#clear').onclick = () => perform('list/clear');
        """
    )

    // MARK: A room

    private static let roomDocument = #"""
        // A room: who is here, and what was said. The rows of `here` exist while their clients are connected.
        {
          "feature": "room",
          "home": "space",
          "state": {
            "here": {
              "table": {"key": {"type": "string", "maxLength": 40}, "row": {"type": "object", "properties": {}}},
              "kept": false, "presence": true, "grace": 2,
            },
            "lines": {
              "table": {
                "key": {"type": "string"},
                "row": {
                  "type": "object",
                  "properties": {"by": {"type": "string"}, "text": {"type": "string"}, "at": {"type": "string", "format": "date-time"}},
                  "required": ["by", "text", "at"],
                },
              },
            },
          },
          "actions": {
            "say": {
              "input": {
                "type": "object",
                "properties": {
                  "by": {"type": "string", "minLength": 1, "maxLength": 40},
                  "text": {"type": "string", "minLength": 1, "maxLength": 500},
                },
                "required": ["by", "text"],
              },
              "do": [{"put": "lines", "key": "newId()", "row": "{'by': input.by, 'text': input.text, 'at': now}"}],
            },
          },
          "views": {
            "here": {"from": "here", "select": "key"},
            "lines": {"from": "lines", "sort": ["-row.at"], "limit": 50},
          },
          "tests": [
            {"name": "the newest line comes first", "steps": [
              {"act": "say", "input": {"by": "ada", "text": "hello"}},
              {"after": 1},
              {"act": "say", "input": {"by": "bob", "text": "hi"}},
              {"expect": {"lines": [
                {"key": "2", "row": {"by": "bob", "text": "hi", "at": "2026-01-01T00:00:01Z"}},
                {"key": "1", "row": {"by": "ada", "text": "hello", "at": "2026-01-01T00:00:00Z"}},
              ]}},
            ]},
          ],
        }

        """#

    private static let roomPage = (
        "Room",
        """
        <p>Here: <span id="here"></span></p>
        <form><input name="text" aria-label="Message" required maxlength="500"> <button>Say</button></form>
        <ul id="lines"></ul>
        """,
        """
          const name = sessionStorage.name ??= `guest ${Math.floor(Math.random() * 1000)}`;
          // The row of this client in `here` exists while this stream is open.
          const source = new EventSource(`/v1/spaces/main/views?view=room.here&presence=room.here&as=${encodeURIComponent(name)}`);
          source.onmessage = ({ data }) => {
            const here = JSON.parse(data)['room.here'];
            if (here) $('#here').textContent = here.join(', ');
          };
          view('room.lines').subscribe((lines) => {
            $('#lines').replaceChildren(...(lines ?? []).map(({ row }) =>
              Object.assign(document.createElement('li'), { textContent: `${row.by}: ${row.text}` })));
          });
          $('form').onsubmit = (event) => {
            event.preventDefault();
            perform('room/say', { by: name, text: $('form').text.value });
            $('form').reset();
          };
        """
    )
}
