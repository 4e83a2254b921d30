import JSON
public import StateStore

extension TestServer {
    /// The values of a watched view, as a stream of the server would send them.
    public final class WatchRecord {
        /// The values as JSON text, first the one at the beginning of the watch.
        public private(set) var values: [String] = []
        /// For each value after the first, the JSON Patch that a stream with `delta=json-patch` sends; nil where it sends
        /// the whole value, which is shorter.
        public private(set) var patches: [String?] = []
        /// The reason that has ended the stream: a rule that is no longer true; nil while it goes on.
        public private(set) var refusal: TestRefusal?

        var watch: Watch?
        var rules: Watch?
        private var last: Frame?

        init() {}

        func take(_ frame: Frame) {
            guard refusal == nil, case .success(let value) = frame.value else { return }
            if let last { patches.append(Self.patch(from: last, to: frame, value)) }
            values.append(String(decoding: value.bytes, as: UTF8.self))
            last = frame
        }

        func end(_ reason: TestRefusal?) {
            guard refusal == nil else { return }
            refusal = reason
            (watch, rules) = (nil, nil)
        }

        private static func patch(from old: Frame, to new: Frame, _ value: ViewValue) -> String? {
            guard case .success(let before) = old.value else { return nil }
            var patch = JSONPatch.Builder()
            if let known = value.patch(from: before) {
                patch = known
            } else if let before = try? old.tree(), let after = try? new.tree() {
                patch.append(JSONPatch(from: before, to: after))
            } else {
                return nil
            }
            return patch.count < value.size ? String(decoding: patch.bytes, as: UTF8.self) : nil
        }
    }

    /// The stay of a client in a table with presence.
    public final class PresentClient {
        private let stay: PresenceStay
        private let run: () -> Void

        init(_ stay: PresenceStay, run: @escaping () -> Void) {
            (self.stay, self.run) = (stay, run)
        }

        /// Ends the stream of the client. Its row goes after the grace of the table, unless the client has another stream.
        public func leave() {
            stay.end()
            run()
        }
    }
}

extension TestServer.WatchRecord: CustomStringConvertible, CustomReflectable {
    /// The values in order, and the reason for the end.
    public var description: String {
        let text = "[\(values.joined(separator: ", "))]"
        return refusal.map { "\(text), ended: \($0)" } ?? text
    }

    /// The values, the patches and the reason for the end.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["values": values, "patches": patches, "refusal": refusal as Any], displayStyle: .class)
    }
}

extension TestServer.PresentClient: CustomReflectable {
    /// Nothing: a stay has no parts that a person reads.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}

/// The reason that a server in a test refused an action or a view.
public struct TestRefusal: Error, CustomStringConvertible {
    /// The reason.
    public let description: String
    /// The rejection by the action, if the action rejected the call.
    public let rejection: Rejection?

    init(_ description: String, _ rejection: Rejection? = nil) {
        self.description = description
        self.rejection = rejection
    }
}
