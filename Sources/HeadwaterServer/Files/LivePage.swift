import Platform
import HTTP
import JSON

/// The side of `headwater dev` that pages see: a script that reloads a page after a change, and shows the faults of the
/// documents over it.
final class LivePage: Sendable {
    /// The paths of the script and of the state that it looks at.
    static let scriptPath = "/headwater-dev.js"
    static let statePath = "/headwater-dev.json"
    /// The text at the end of each page.
    static let tag = "\n<script src=\"\(scriptPath)\" defer></script>\n"

    private struct State {
        var edition = 1
        var faults: [String] = []
    }

    private let state = Lock(State())

    /// Notes that the files have changed, and the faults that their documents have.
    func note(faults: [String]) {
        state.with { state in
            state.edition += 1
            state.faults = faults
        }
    }

    /// The edition of the files, and the faults.
    var json: JSON {
        let state = state.with { $0 }
        return [
            "edition": .number(Decimal(state.edition)), "faults": .array(state.faults.map { .string($0) }),
        ]
    }

    static let script = Asset("text/javascript; charset=utf-8", Array(text.utf8))

    /// The script asks four times a second while its page is visible.
    private static let text = #"""
        // Reloads the page after a change, and shows the faults of the documents over it. For `headwater dev` only.
        let edition = null, box = null;
        function show(faults) {
          box?.remove();
          box = null;
          if (!faults.length) return;
          box = document.createElement('pre');
          box.id = 'headwater-faults';
          box.setAttribute('role', 'alert');
          box.style.cssText = 'position:fixed;inset:0;z-index:2147483647;margin:0;padding:2rem;overflow:auto;white-space:pre-wrap;'
            + 'font:14px/1.5 ui-monospace,monospace;background:#1b1b1fee;color:#ffb4ab';
          box.textContent = 'The documents have faults. The page shows the last good version.\n\n' + faults.join('\n\n');
          box.onclick = () => show([]);
          document.body.append(box);
        }
        async function look() {
          try {
            const state = await (await fetch('/headwater-dev.json', { cache: 'no-store' })).json();
            if (edition !== null && edition !== state.edition && !state.faults.length) return location.reload();
            if (edition !== state.edition) show(state.faults);
            edition = state.edition;
          } catch { /* The server starts again. */ }
          setTimeout(look, document.hidden ? 1000 : 250);
        }
        look();
        """#
}
