import HTTP

/// The expected answers to the bytes of a connection: one for each whole request, and one for a fault, after which the
/// server reads nothing.
struct ExpectedAnswers {
    struct Answer {
        let isHead: Bool
        /// The status if it follows from the bytes alone.
        let status: Int?
        /// True if the connection ends after this answer.
        let isLast: Bool
    }

    private(set) var answers: [Answer] = []

    init(to bytes: [UInt8]) {
        let limits = ServerLimits()
        var start = 0
        do throws(MessageFault) {
            while start < bytes.count {
                let head = RequestHead(limits)
                var seen = 0
                let rest = bytes.span.extracting(start..<bytes.count)
                guard try head.read(rest, seen: &seen) else { return }
                var end = head.length
                switch head.framing {
                case .none: break
                case .length(let count): end += count
                case .chunks:
                    var decoder = ChunkDecoder()
                    var body: [UInt8] = []
                    guard try decoder.decode(rest, &end, into: &body, limits) else { return }
                }
                guard end <= rest.count else { return }
                answers.append(Answer(isHead: head.method == .head, status: nil, isLast: !head.isPersistent))
                guard head.isPersistent else { return }
                start += end
            }
        } catch {
            answers.append(Answer(isHead: false, status: error.status.code, isLast: true))
        }
    }
}
