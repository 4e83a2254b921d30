import Ground
import HTTP
import Outgoing
import StateStore

/// One delivery of a hook: a commit, or a new value of a view.
struct HookEvent: Sendable {
    /// The greatest size of a body in bytes. A larger commit or value is delivered without a body.
    static let bodyBytesLimit = 4 * 1_024 * 1_024

    /// The place of the hook after the delivery.
    let moment: Moment
    /// The id of the event, as in CloudEvents: `main/18`.
    let id: String
    /// The path of the event's origin.
    let source: String
    let type: String
    /// The action, or the view.
    let subject: String
    let time: Timestamp
    /// The commit as `changes` has it, or the value.
    let body: [UInt8]

    /// A commit as the owner of the hook sees it.
    init(_ commit: ShownCommit) {
        let head = commit.head
        moment = Moment(version: head.version, common: head.common)
        id = "\(commit.space)/\(head.version)"
        source = "/v1/spaces/\(commit.space)"
        type = "headwater.commit"
        subject = head.action
        time = head.at
        var bytes: [UInt8] = []
        ChangeText.append(commit, to: &bytes)
        body = bytes
    }

    /// One of several actions of a commit, with the changes of them all. The hook is at `earlier` after it, unless it is
    /// nil.
    init(_ commit: ShownCommit, _ action: PerformedAction, after earlier: Moment?) {
        let head = commit.head
        moment = earlier ?? Moment(version: head.version, common: head.common)
        id = "\(commit.space)/\(head.version)/\(action.place.dropFirst(2).first ?? "0")"
        source = "/v1/spaces/\(commit.space)"
        type = "headwater.commit"
        subject = action.name
        time = head.at
        var bytes: [UInt8] = []
        ChangeText.append(commit, only: action, to: &bytes)
        body = bytes
    }

    /// A new value of a view. A commit of `common` alone can be its cause: then the version of `common` is part of the id.
    init(_ row: HistoryRow, of view: ViewKey, in space: SpaceName) {
        self.init(
            of: view, in: space, at: row.moment, row.head.at, row.isWithheld ? nil : row.frame,
            isOfCommon: row.isOfCommon && space != .common)
    }

    /// The value of the view of a permit at a moment.
    init(of permit: ReadPermit, at moment: Moment, _ context: PastContext) throws(PastRefusal) {
        let past = try PastSpace(for: permit, at: .moment(moment), context)
        let view = permit.names[0]
        guard let found = try past.frames(of: permit, context).first else { throw .noView("\(view)", why: nil) }
        self.init(
            of: view, in: permit.space, at: moment, past.time ?? Timestamp(microseconds: 0),
            past.showsPrivate(view) ? nil : found.frame, isOfCommon: true)
    }

    private init(
        of view: ViewKey, in space: SpaceName, at moment: Moment, _ time: Timestamp, _ frame: Frame?, isOfCommon: Bool
    ) {
        self.moment = moment
        id =
            "\(space)/\(space == .common ? moment.common : moment.version)"
            + (isOfCommon ? ".\(moment.common)" : "")
        source = "/v1/spaces/\(space)/\(view.feature)/\(view.label)"
        type = "headwater.view"
        subject = "\(view)"
        self.time = time
        // A value that shows private members is withheld.
        body = frame?.written ?? Array("null".utf8)
    }

    /// The name of the delivery in `webhook-id`: the same for each attempt, and another one for each hook, and for a commit
    /// that has the version of a lost one.
    func name(for hook: HookName, in life: Life, _ seal: Seal) -> String {
        "msg_" + Base64URL.text(seal.code(Array("\(life.era).\(life.count) \(hook.key) \(source) \(id)".utf8)))
    }

    /// Returns the version of a space that the event tells of.
    func version(in space: SpaceName) -> Int { space == .common ? moment.common : moment.version }

    /// True if the body is too large to be sent.
    var isOversize: Bool { body.count > Self.bodyBytesLimit }

    /// Returns the request that delivers it, signed at `now`.
    func request(
        to address: HookAddress, reach: AddressReach, trace: TraceContext? = nil, name: String, at now: Timestamp
    ) -> OutgoingRequest {
        let seconds = Int(now.microseconds.floorDivided(by: 1_000_000))
        let body = isOversize ? [] : self.body
        var fields: [OutgoingRequest.HeaderField] = [
            .init("Content-Type", "application/json"),
            .init("webhook-id", name),
            .init("webhook-timestamp", "\(seconds)"),
            .init("webhook-signature", address.secret.signature(id: name, seconds: seconds, body: body)),
            .init("ce-specversion", "1.0"),
            .init("ce-id", id),
            .init("ce-source", source),
            .init("ce-type", type),
            .init("ce-subject", Self.encoded(subject)),
            .init("ce-time", RFC3339.text(microseconds: time.microseconds)),
            // libcurl would wait for a response before it sends a large body.
            .init("Expect", ""),
        ]
        if let trace { fields.append(.init("traceparent", trace.text)) }
        if isOversize { fields.append(.init("ce-oversize", "\(self.body.count)")) }
        var request = OutgoingRequest(
            "POST", address.url.text, fields: fields, body: body, timeout: .seconds(20), bodyLimitBytes: 1_024 * 1_024,
            target: "hooks")
        request.reach = reach
        return request
    }

    /// Encodes an attribute as the HTTP binding of CloudEvents demands: a header has `%XX` for other characters than
    /// visible ASCII, for quotation marks and for percent signs.
    private static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            if (0x21...0x7E).contains(byte), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "%") {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }
}
