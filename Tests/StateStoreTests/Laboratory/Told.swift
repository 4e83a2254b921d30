import StateStore

/// What was answered to an action.
final class Reply {
    var result: Result<Answer, Refusal>?

    /// The version and what changed, with the views, or what was refused; nothing yet is "-".
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

/// What was read.
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

/// What somebody who watches was told. The watch ends with this.
final class Told {
    var watch: Watch?
    var events: [String] = []
    /// The news as they came.
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
    /// The value as JSON, or that there is none.
    var told: String { Self.told(value) }

    static func told(_ value: Result<ViewValue, ViewFailure>) -> String {
        switch value {
        case .success(let value): String(decoding: value.bytes, as: UTF8.self)
        case .failure(let failure): "failed: \(failure)"
        }
    }
}

extension Watch {
    /// News as a line: views without their feature.
    static func told(_ news: ViewFrames) -> String {
        news.map { view, frame in "\(view.split(separator: ".")[1])=\(frame.told)" }.joined(separator: " ")
    }
}
