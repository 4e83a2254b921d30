import Platform
import Reactive
import StateStore

/// The answers to whole tags, which never change, for all loops.
final class PastCache: Sendable {
    /// The maximum number of bytes of all answers,
    static let bytesLimit = 16 * 1_024 * 1_024
    /// and of one.
    static let answerBytesLimit = 1_024 * 1_024

    /// What an answer belongs to.
    struct Key: Hashable, Sendable {
        let permit: ReadPermit
        /// The reader, for whom the rules of then were asked.
        let reader: Caller
        let isSingle: Bool
        let tag: String
        /// The erasures up to then: an answer from before another one may have an erased row.
        let erasures: Int

        /// The estimated bytes of an entry without its content.
        var size: Int { permit.names.reduce(1_024) { $0 + 2 * $1.description.utf8.count } }
    }

    private struct Answers {
        var answers: [Key: PastAnswer] = [:]
        /// The keys in the order of their arrival.
        var order = Fifo<Key>()
        var bytes = 0
    }

    private let answers = Lock(Answers())

    /// Returns the answer to a whole tag.
    subscript(key: Key) -> PastAnswer? { answers.with { $0.answers[key] } }

    /// Keeps an answer. The oldest go if there are too many bytes.
    func keep(_ answer: PastAnswer, as key: Key) {
        let size = answer.content.count + key.size
        guard size <= Self.answerBytesLimit, answer.failure == nil else { return }
        answers.with { answers in
            guard answers.answers.updateValue(answer, forKey: key) == nil else { return }
            answers.order.append(key)
            answers.bytes += size
            while answers.bytes > Self.bytesLimit, let oldest = answers.order.popFirst() {
                guard let gone = answers.answers.removeValue(forKey: oldest) else { continue }
                answers.bytes -= gone.content.count + oldest.size
            }
        }
    }
}
