import HTTP

/// The answers that the bytes of a connection call for: one for each request that is whole, and one for a fault, after which nothing is read.
struct ExpectedAnswers {
    struct Answer {
        let isHead: Bool
        /// The status, where it follows from the bytes alone.
        let status: Int?
        /// The connection ends after it.
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
