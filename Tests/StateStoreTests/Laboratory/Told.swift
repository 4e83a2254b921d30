import StateStore

/// The answer to an action.
final class Reply {
    var result: Result<Answer, Refusal>?

    /// The version, the changed variables and the views, or the refusal; "-" before the answer.
    var told: String {
        switch result {
        case nil: "-"
        case .success(let answer):
            [
                answer.isReplay ? "again" : "", "\(answer.version)", answer.changed.joined(separator: ","),
                Watch.told(answer.views),
            ]
            .filter { !$0.isEmpty }.joined(separator: " ")
        case .failure(.rejected(let rejection)):
            "\(rejection.kind) \(rejection.pointer.map { "\($0)" } ?? "-"): \(rejection)"
                + (rejection.allowed.isEmpty ? "" : "; allowed: \(rejection.allowed.joined(separator: ", "))")
        case .failure(.journal(let failure)): "\(failure)"
        case .failure(let refusal): "\(refusal)"
        }
    }
}

/// The result of a read.
final class Look {
    var result: Result<ViewSnapshot, Refusal>?

    var told: String {
        switch result {
        case nil: "-"
        case .success(let reading): Watch.told(reading.views)
        case .failure(.journal(let failure)): "\(failure)"
        case .failure(let refusal): "\(refusal)"
        }
    }
}

/// The deliveries of a watch. The watch ends with this object.
final class Told {
    var watch: Watch?
    var events: [String] = []
    /// The deliveries in their order.
    var news: [ViewFrames] = []
    var onNews: (() -> Void)?

    func hear(_ result: Result<ViewFrames, Refusal>) {
        switch result {
        case .success(let news):
            self.news.append(news)
            events.append(Watch.told(news))
        case .failure(let refusal): events.append("\(refusal)")
        }
        onNews?()
    }
}

extension Frame {
    /// The value as JSON, or the failure.
    var told: String { Self.told(value) }

    static func told(_ value: Result<ViewValue, ViewFailure>) -> String {
        switch value {
        case .success(let value): String(decoding: value.bytes, as: UTF8.self)
        case .failure(let failure): "failed: \(failure)"
        }
    }
}

extension Watch {
    /// A delivery as one line: the views without the names of their features.
    static func told(_ news: ViewFrames) -> String {
        news.map { view, frame in "\("\(view)".split(separator: ".")[1])=\(frame.told)" }.joined(separator: " ")
    }
}
