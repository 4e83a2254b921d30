import StateStore

/// A request for one stream of a space.
struct StreamRequest {
    let id: String
    let space: SpaceName
    let route: Route
    let responder: Responder

    init(_ id: String, in space: SpaceName, _ route: Route, _ responder: Responder) {
        self.id = id
        self.space = space
        self.route = route
        self.responder = responder
    }

    /// Answers that the stream does not exist.
    func answerMissing() {
        responder.answer(
            Problem(
                .noSuchStream,
                "there is no stream \(id) in the space \(space): GET /v1/spaces/\(space)/streams lists all"))
    }
}
